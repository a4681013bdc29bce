/**
 * The statements that the triggers must allow or refuse. src/review/sql/ generates the triggers from the machines; these cases
 * are the other opinion. A case is SQL that is tested on the rows of held-rows.ts, and the rule that has to refuse it.
 *
 * Two kinds are derived: every pair of states of a machine, with every reason (held-cases/machine-pairs.ts); and every column that has
 * no reason to change (held-cases/bound-columns.ts). The rest are other hostile or clumsy statements, a file for each
 * table.
 */
import { administeredCases } from './held-cases/administered.ts';
import { boundColumnCases } from './held-cases/bound-columns.ts';
import type { Column, HeldCase } from './held-cases/case.ts';
import { clientDocumentCases } from './held-cases/client-documents.ts';
import { clientRegistrationCases } from './held-cases/client-registrations.ts';
import { configuredSecretCases } from './held-cases/configured-secrets.ts';
import { emailChallengeCases } from './held-cases/email-challenges.ts';
import { epochCases } from './held-cases/epochs.ts';
import { externalSignInCases } from './held-cases/external-sign-ins.ts';
import { factorCases } from './held-cases/factors.ts';
import { grantCases } from './held-cases/grants.ts';
import { interactionCases } from './held-cases/interactions.ts';
import { ledgerCases } from './held-cases/ledger.ts';
import { macVersionCases } from './held-cases/mac-versions.ts';
import { machinePairCases } from './held-cases/machine-pairs.ts';
import { mailCases } from './held-cases/mails.ts';
import { nameCases } from './held-cases/names.ts';
import { operatorSetUpCases } from './held-cases/operator-set-ups.ts';
import { pushedRequestCases } from './held-cases/pushed-requests.ts';
import { sessionCases } from './held-cases/sessions.ts';
import { signInCodeCases } from './held-cases/sign-in-codes.ts';
import { signingKeyCases } from './held-cases/signing-keys.ts';
import { usedJtiCases } from './held-cases/used-jtis.ts';
import { webhookDeliveryCases } from './held-cases/webhook-deliveries.ts';

export type { Column, HeldCase };

/** @param columns of the database, so that a new column is asked about. */
export const casesOf = (columns: readonly Column[]): readonly HeldCase[] => [
  ...boundColumnCases(columns),
  ...machinePairCases,
  ...grantCases,
  ...interactionCases,
  ...signingKeyCases,
  ...sessionCases,
  ...emailChallengeCases,
  ...factorCases,
  ...externalSignInCases,
  ...signInCodeCases,
  ...operatorSetUpCases,
  ...configuredSecretCases,
  ...clientDocumentCases,
  ...clientRegistrationCases,
  ...pushedRequestCases,
  ...usedJtiCases,
  ...webhookDeliveryCases,
  ...mailCases,
  ...administeredCases,
  ...epochCases,
  ...nameCases,
  ...macVersionCases,
  ...ledgerCases(),
];
