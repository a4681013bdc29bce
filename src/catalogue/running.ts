/** The only list of the machines that run. Each of them is drawn, tabulated, compared, and tested by the laws for all machines. */
import type { AnyStateMachine, EventFromLogic } from 'xstate';
import { authorizationCodeMachine } from '../../machines/authorization-code/machine.ts';
import { clientMachine } from '../../machines/client/machine.ts';
import { emailChallengeMachine } from '../../machines/email-challenge/machine.ts';
import { externalSignInMachine } from '../../machines/external-sign-in/machine.ts';
import { grantMachine } from '../../machines/grant/machine.ts';
import { interactionMachine } from '../../machines/interaction/machine.ts';
import { linkedIdentityMachine } from '../../machines/linked-identity/machine.ts';
import { mailMachine } from '../../machines/mail/machine.ts';
import { passkeyMachine } from '../../machines/passkey/machine.ts';
import { recoveryCodeMachine } from '../../machines/recovery-code/machine.ts';
import { refreshTokenMachine } from '../../machines/refresh-token/machine.ts';
import { secondFactorMachine } from '../../machines/second-factor/machine.ts';
import { sessionMachine } from '../../machines/session/machine.ts';
import { signingKeyMachine } from '../../machines/signing-key/machine.ts';
import { userMachine } from '../../machines/user/machine.ts';
import { webhookDeliveryMachine } from '../../machines/webhook-delivery/machine.ts';
import { type Machine, readMachine } from './read.ts';

/** By id, in the best order for reading. */
export const RUNNING = {
  refreshToken: running(refreshTokenMachine, { presented: true }),
  authorizationCode: running(authorizationCodeMachine, { presented: true }),
  grant: running(grantMachine, {
    authorizationCodeReused: true,
    refreshTokenReused: true,
    chainFellBehind: true,
    revocationRequested: true,
    endRequestedByAdministrator: true,
    clientDeleted: true,
    userDisabled: true,
    passwordChanged: true,
    serverRecovered: true,
  }),
  interaction: running(interactionMachine, {
    requested: true,
    viewed: true,
    switchRequested: true,
    signedIn: true,
    accountChosen: true,
    factorAdded: true,
    factorDeclined: true,
    consented: true,
    refused: true,
  }),
  session: running(sessionMachine, {
    signedIn: true,
    used: true,
    factorAdded: true,
    signOutRequested: true,
    endRequested: true,
    endRequestedByAdministrator: true,
    signedInAgain: true,
    userDisabled: true,
    passwordChanged: true,
    serverRecovered: true,
  }),
  externalSignIn: running(externalSignInMachine, {
    answerReceived: true,
    refusalReceived: true,
    browserReturned: true,
  }),
  linkedIdentity: running(linkedIdentityMachine, {
    linkRequested: true,
    removalRequested: true,
    removalRequestedByAdministrator: true,
    userDeleted: true,
  }),
  secondFactor: running(secondFactorMachine, {
    confirmed: true,
    presented: true,
    removalRequested: true,
    removalRequestedByAdministrator: true,
    lost: true,
  }),
  recoveryCode: running(recoveryCodeMachine, { presented: true, newCodesRequested: true }),
  passkey: running(passkeyMachine, {
    registered: true,
    presented: true,
    renamed: true,
    removalRequested: true,
    removalRequestedByAdministrator: true,
    lost: true,
  }),
  signingKey: running(signingKeyMachine, {
    noKeySigns: true,
    successorNeeded: true,
    timePassed: true,
    rotationRequested: true,
    revocationRequested: true,
    signerStopped: true,
  }),
  client: running(clientMachine, {
    registrationRequested: true,
    secretRequested: true,
    secretReplacementRequested: true,
    secretRemovalRequested: true,
    deletionRequested: true,
  }),
  user: running(userMachine, {
    registrationRequested: true,
    passwordChangeRequested: true,
    disableRequested: true,
    enableRequested: true,
    deletionRequested: true,
    passwordRehashed: true,
    addressVerified: true,
    addressChanged: true,
    addressRestored: true,
    passwordReset: true,
    factorsLost: true,
  }),
  emailChallenge: running(emailChallengeMachine, {
    requested: true,
    used: true,
    overtaken: true,
    otherUsed: true,
    withdrawn: true,
    undone: true,
  }),
  webhookDelivery: running(webhookDeliveryMachine, {
    claimed: true,
    succeeded: true,
    failed: true,
    goneAnswered: true,
    receiverRemoved: true,
    repeatRequested: true,
  }),
  mail: running(mailMachine, { claimed: true, succeeded: true, failed: true, refused: true, displaced: true }),
} as const;

export type RunningName = keyof typeof RUNNING;

export const MACHINES: ReadonlyMap<string, Machine> = new Map(
  Object.entries(RUNNING).map(([name, { machine }]) => [name, readMachine(machine.config)]),
);

/** @param events of the machine's vocabulary, in the order of tables: the compiler reports missing and unknown events. */
function running<M extends AnyStateMachine>(machine: M, events: Readonly<Record<EventFromLogic<M>['type'], true>>) {
  return { machine, events: Object.keys(events) };
}
