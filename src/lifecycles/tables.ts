/**
 * The only list of the tables of lifecycles. Rights, retention, personal data, counts, MACs and triggers are loops over it; src/storage/schema.ts
 * hands the columns to migrations and statements.
 */
import { clientTable } from './client/table.ts';
import { clientDocumentTable } from './client-document/table.ts';
import { clientRegistrationTable } from './client-registration/table.ts';
import { configuredSecretTable } from './configured-secret/table.ts';
import { emailChallengeTable } from './email-challenge/table.ts';
import { externalSignInTable } from './external-sign-in/table.ts';
import { grantTable } from './grant/table.ts';
import { consentTable, interactionTable } from './interaction/table.ts';
import { linkedIdentityTable } from './linked-identity/table.ts';
import { mailTable } from './mail/table.ts';
import { operatorSetUpTable } from './operator-set-up/table.ts';
import { passkeyTable } from './passkey/table.ts';
import { pushedRequestTable } from './pushed-request/table.ts';
import { recoveryCodeTable } from './recovery-code/table.ts';
import { secondFactorTable } from './second-factor/table.ts';
import { sessionTable } from './session/table.ts';
import { signInCodeTable } from './sign-in-code/table.ts';
import { signingKeyTable } from './signing-key/table.ts';
import { trustedBrowserTable } from './trusted-browser/table.ts';
import { usedJtiTable } from './used-jti/table.ts';
import { userTable } from './user/table.ts';
import { webhookDeliveryTable } from './webhook-delivery/table.ts';

export * from './client/table.ts';
export * from './client-document/table.ts';
export * from './client-registration/table.ts';
export * from './configured-secret/table.ts';
export * from './email-challenge/table.ts';
export * from './external-sign-in/table.ts';
export * from './grant/table.ts';
export * from './interaction/table.ts';
export * from './linked-identity/table.ts';
export * from './mail/table.ts';
export * from './operator-set-up/table.ts';
export * from './passkey/table.ts';
export * from './pushed-request/table.ts';
export * from './recovery-code/table.ts';
export * from './second-factor/table.ts';
export * from './session/table.ts';
export * from './sign-in-code/table.ts';
export * from './signing-key/table.ts';
export * from './trusted-browser/table.ts';
export * from './used-jti/table.ts';
export * from './user/table.ts';
export * from './webhook-delivery/table.ts';

export const HELD_TABLES = [
  sessionTable,
  emailChallengeTable,
  passkeyTable,
  linkedIdentityTable,
  consentTable,
  secondFactorTable,
  mailTable,
  recoveryCodeTable,
  trustedBrowserTable,
  interactionTable,
  pushedRequestTable,
  externalSignInTable,
  signInCodeTable,
  grantTable,
  signingKeyTable,
  clientDocumentTable,
  clientRegistrationTable,
  clientTable,
  userTable,
  webhookDeliveryTable,
  operatorSetUpTable,
  configuredSecretTable,
  usedJtiTable,
] as const;
