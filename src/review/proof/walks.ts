/** Every walk of the proof. Each stands beside the lifecycle that it is most about. */

import { administration } from '../../lifecycles/client/walk/walk.ts';
import { clientDocuments } from '../../lifecycles/client-document/walk.ts';
import { clientRegistrations } from '../../lifecycles/client-registration/walk.ts';
import { emailChallenges } from '../../lifecycles/email-challenge/walk/walk.ts';
import { externalSignIns } from '../../lifecycles/external-sign-in/walk/walk.ts';
import { INVARIANTS } from '../../lifecycles/grant/walk/invariants.ts';
import { authorizations, provenRetries } from '../../lifecycles/grant/walk/walk.ts';
import { signIns } from '../../lifecycles/interaction/walk/walk.ts';
import { mails } from '../../lifecycles/mail/walk.ts';
import { operatorSetUps } from '../../lifecycles/operator-set-up/walk.ts';
import { pushedRequests } from '../../lifecycles/pushed-request/walk.ts';
import { factors } from '../../lifecycles/second-factor/walk/walk.ts';
import { signInCodes } from '../../lifecycles/sign-in-code/walk/walk.ts';
import { signingKeys } from '../../lifecycles/signing-key/walk/walk.ts';
import { trustedBrowsers } from '../../lifecycles/trusted-browser/walk.ts';
import { usedJtis } from '../../lifecycles/used-jti/walk.ts';
import { webhookDeliveries } from '../../lifecycles/webhook-delivery/walk.ts';
import type { AnyInvariant, AnyWalk } from './walk.ts';

/** The walks that depend on a policy for codes and chains. */
export const underPolicy = authorizations;

/** The walks that depend on no policy. */
export const underEveryPolicy: readonly AnyWalk[] = [
  provenRetries,
  signIns,
  factors,
  trustedBrowsers,
  externalSignIns,
  signInCodes,
  signingKeys,
  administration,
  emailChallenges,
  webhookDeliveries,
  mails,
  operatorSetUps,
  pushedRequests,
  clientDocuments,
  clientRegistrations,
  usedJtis,
];

/** They are the same under every policy. */
export const allInvariants: readonly AnyInvariant[] = [
  ...new Set([...INVARIANTS, ...underEveryPolicy.flatMap(({ invariants }) => invariants)]),
];
