/** The tables that commits name, with the type of their rows. src/storage/schema.ts has their columns. */
import { tableOf } from '../engine/commit.ts';
import type { EmailChallenge } from '../model/email-challenge.ts';
import type { ExternalSignIn } from '../model/external-sign-in.ts';
import type { Passkey, RecoveryCode, SecondFactor } from '../model/factors.ts';
import type { LinkedIdentity } from '../model/linked-identity.ts';
import type { QueuedMail } from '../model/mail.ts';
import type { RegisteredUser } from '../model/user.ts';
import type { WebhookDelivery } from '../model/webhook.ts';
import type { RowVersion } from './client/lifecycle.ts';

/** `sentBy`: the administrator who asked for it; null: the person did. */
export const EMAIL_CHALLENGES = tableOf<EmailChallenge & { readonly sentBy?: string | null }>('emailChallenges');
export const EXTERNAL_SIGN_INS = tableOf<ExternalSignIn>('externalSignIns');
export const LINKED_IDENTITIES = tableOf<LinkedIdentity>('linkedIdentities');
export const MAILS = tableOf<QueuedMail>('mails');
export const PASSKEYS = tableOf<Passkey>('passkeys');
export const RECOVERY_CODES = tableOf<RecoveryCode>('recoveryCodes');
export const SECOND_FACTORS = tableOf<SecondFactor>('secondFactors');
/** `version`: of a row that was loaded. */
export const USERS = tableOf<RegisteredUser & { readonly version?: RowVersion }>('users');
export const WEBHOOK_DELIVERIES = tableOf<WebhookDelivery>('webhookDeliveries');
