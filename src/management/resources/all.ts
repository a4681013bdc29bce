/** Every resource of the API, in the order of its reference. */
import type { ManagementResource } from '../resource.ts';
import { alarms } from './alarms.ts';
import { backtests, policyFile, policyFiles } from './backtests.ts';
import { batches } from './batches.ts';
import { clientKeys } from './client-keys.ts';
import { clientSecret, clientSecrets } from './client-secrets.ts';
import { client } from './clients.ts';
import { clientCollection, clientConsequences, userCollection, userConsequences } from './collections.ts';
import { policies, policy, resources } from './configuration.ts';
import { configuredSecret, configuredSecrets } from './configured-secrets.ts';
import { explanations } from './explanations.ts';
import { grant, grants, grantsOfUser, grantTransitions } from './grants.ts';
import { invitation, invitations } from './invitations.ts';
import { ledgerVerifications } from './ledger-verifications.ts';
import { linkedIdentitiesOfUser, linkedIdentity } from './linked-identities.ts';
import { machine, machinePicture, machines } from './machines.ts';
import { mailedLinks } from './mailed-links.ts';
import { mail, mails, mailTests } from './mails.ts';
import { passkeyOfUser, passkeysOfUser } from './passkeys.ts';
import { root } from './root.ts';
import { secondFactorOfUser } from './second-factor.ts';
import { session, sessions, sessionsOfUser } from './sessions.ts';
import { settings } from './settings.ts';
import { signIn, signInAnswer } from './sign-ins.ts';
import { rotations, signingKey, signingKeys } from './signing-keys.ts';
import { statistics } from './statistics.ts';
import { status } from './status.ts';
import { transitionKinds } from './transition-kinds.ts';
import { transitions } from './transitions.ts';
import { trustedBrowserOfUser, trustedBrowsersOfUser } from './trusted-browsers.ts';
import { userImports } from './user-imports.ts';
import { user } from './users.ts';
import { webhookAttempts, webhookDeliveries, webhookDelivery, webhookRepetitions } from './webhook-deliveries.ts';
import {
  webhookPause,
  webhookReceiver,
  webhookReceivers,
  webhookRedeliveries,
  webhookTests,
} from './webhook-receivers.ts';

const ALL = [
  root,
  status,
  alarms,
  statistics,
  clientCollection,
  client,
  clientConsequences,
  clientSecrets,
  clientSecret,
  clientKeys,
  userCollection,
  user,
  userConsequences,
  grantsOfUser,
  sessionsOfUser,
  userImports,
  invitations,
  invitation,
  linkedIdentitiesOfUser,
  linkedIdentity,
  passkeysOfUser,
  passkeyOfUser,
  trustedBrowsersOfUser,
  trustedBrowserOfUser,
  secondFactorOfUser,
  mailedLinks,
  grants,
  grant,
  grantTransitions,
  explanations,
  sessions,
  session,
  signIn,
  signInAnswer,
  signingKeys,
  signingKey,
  rotations,
  webhookReceivers,
  webhookReceiver,
  webhookTests,
  webhookPause,
  webhookRedeliveries,
  webhookDeliveries,
  webhookDelivery,
  webhookRepetitions,
  batches,
  webhookAttempts,
  mails,
  mail,
  mailTests,
  transitions,
  transitionKinds,
  ledgerVerifications,
  machines,
  machine,
  machinePicture,
  policies,
  policy,
  resources,
  settings,
  configuredSecrets,
  configuredSecret,
  policyFiles,
  policyFile,
  backtests,
] as const satisfies readonly ManagementResource[];

/** Each with the types of its schemas, for the client (src/management/client). */
export type Resource = (typeof ALL)[number];
export const RESOURCES: readonly ManagementResource[] = ALL;
