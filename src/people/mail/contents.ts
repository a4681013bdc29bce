/**
 * The content of a mail in the queue. It is sealed under the root secret for the id of its row, so a backup or a copied
 * row is unreadable.
 */
import { hmacSha256 } from '../../crypto/digest.ts';
import type { Random } from '../../crypto/random.ts';
import type { RootKeys } from '../../crypto/root-secret.ts';
import { IV_BYTES, openText, sealText } from '../../crypto/sealed-text.ts';
import type { NewMail } from '../../lifecycles/mail/entity.ts';
import type { MailPurpose } from '../../lifecycles/mail/purpose.ts';
import { type Mail, type MailsWanted, purposeOf } from './mail.ts';

export type Contents = Mail | MailsWanted;

const HOUR_SECONDS = 3600;

/** The reader of a link asks for another one. The reader of a notice does not know that a mail is missing. */
const WAITS_SECONDS: Readonly<Record<MailPurpose, number>> = { link: HOUR_SECONDS, notice: 24 * HOUR_SECONDS };

const lifetimeOf = (contents: Contents): number =>
  'content' in contents && 'lifetimeSeconds' in contents.content
    ? contents.content.lifetimeSeconds
    : Number.POSITIVE_INFINITY;

const domainOf = ({ to }: Contents): string => to.slice(to.lastIndexOf('@') + 1).toLowerCase();

export type SealDeps = { readonly keys: RootKeys; readonly random: Pick<Random, 'uuid' | 'bytes'> };

export function queuedMail({ keys, random }: SealDeps, contents: Contents, now: Date): NewMail {
  const id = random.uuid();
  const purpose = 'content' in contents ? purposeOf(contents) : 'link';
  const waits = Math.min(WAITS_SECONDS[purpose], lifetimeOf(contents));
  const givesUpAt = new Date(now.getTime() + waits * 1000);
  // The seal covers the instant too: a later instant in the row does not extend the life of the mail.
  const text = JSON.stringify({ contents, givesUpAt }, plain);
  return {
    id,
    purpose,
    domainHash: hmacSha256(keys.first.key('mail'), 'domain\n', domainOf(contents)),
    userId: 'userId' in contents ? contents.userId : null,
    sealedContents: sealText(keys, 'mail', id, text, random.bytes(IV_BYTES)),
    givesUpAt,
  };
}

/** @returns null: no listed root secret opens the contents, another row's id sealed them, or they have expired. */
export function openContents(
  keys: RootKeys,
  { id, sealedContents }: { readonly id: string; readonly sealedContents: string | null },
  now: Date,
): Contents | null {
  const text = sealedContents === null ? null : openText(keys, 'mail', id, sealedContents);
  if (text === null) return null;
  const { contents, givesUpAt } = JSON.parse(text, revived) as { contents: Contents; givesUpAt: string };
  return new Date(givesUpAt) < now ? null : contents;
}

/** JSON has neither instants nor octets: both are as a Date and a Buffer write them. */
const plain = (_: string, value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value).toJSON() : value;
const revived = (key: string, value: unknown): unknown => {
  if (key === 'at') return new Date(value as string);
  const isOctets = typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer';
  return isOctets ? Buffer.from((value as unknown as { readonly data: number[] }).data) : value;
};
