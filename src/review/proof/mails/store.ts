/** A mail in memory, under the same contract as in Postgres (src/storage/mails.ts): the facts are those of a delivery. */
import type { MailCommit } from '../../../lifecycles/mail.ts';
import { DELIVERY_GUARD } from '../webhook-deliveries/store.ts';
import type { Stored } from './terms.ts';

/** @returns null when a fact did not hold: nothing changed. */
export const commitMail = ({ mail }: Stored, { before, after }: MailCommit, guard = DELIVERY_GUARD): Stored | null =>
  Object.values(guard).every((fact) => fact(mail, before)) ? { mail: after } : null;
