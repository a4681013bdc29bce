/**
 * The laws of the machines, stated independently of the machines' own text. The transition table shows every change to a reviewer; a law
 * rejects the dangerous ones by itself. To read them: laws/every-machine.ts, then the file of the machine.
 */

import type { RunningName } from '../../../machines/running.ts';
import { readMachine } from '../../../src/catalogue/read.ts';
import { allAnswers } from './answers.ts';
import { type Config, type Subject, withoutCode } from './catalogue.ts';
import { lawsOfAuthorizationCode } from './laws/authorization-code.ts';
import { lawsOfClient } from './laws/client.ts';
import { lawsOfClientDocument } from './laws/client-document.ts';
import { lawsOfClientRegistration } from './laws/client-registration.ts';
import { lawsOfEmailChallenge } from './laws/email-challenge.ts';
import { lawsOfEveryMachine } from './laws/every-machine.ts';
import { lawsOfExternalSignIn } from './laws/external-sign-in.ts';
import { lawsOfGrant } from './laws/grant.ts';
import { lawsOfInteraction } from './laws/interaction.ts';
import type { Case, Law } from './laws/law.ts';
import { lawsOfLinkedIdentity } from './laws/linked-identity.ts';
import { lawsOfMail } from './laws/mail.ts';
import { lawsOfOperatorSetUp } from './laws/operator-set-up.ts';
import { lawsOfPasskey } from './laws/passkey.ts';
import { lawsOfPushedRequest } from './laws/pushed-request.ts';
import { lawsOfRecoveryCode } from './laws/recovery-code.ts';
import { lawsOfRefreshToken } from './laws/refresh-token.ts';
import { lawsOfSecondFactor } from './laws/second-factor.ts';
import { lawsOfSession } from './laws/session.ts';
import { lawsOfSignInCode } from './laws/sign-in-code.ts';
import { lawsOfSigningKey } from './laws/signing-key.ts';
import { lawsOfTrustedBrowser } from './laws/trusted-browser.ts';
import { lawsOfUsedJti } from './laws/used-jti.ts';
import { lawsOfUser } from './laws/user.ts';
import { lawsOfWebhookDelivery } from './laws/webhook-delivery.ts';

export { lawsOfEveryMachine };

/** The compiler asks for the laws of every machine that runs. */
const LAWS: Readonly<Record<RunningName, readonly Law[]>> = {
  refreshToken: lawsOfRefreshToken,
  authorizationCode: lawsOfAuthorizationCode,
  grant: lawsOfGrant,
  interaction: lawsOfInteraction,
  session: lawsOfSession,
  secondFactor: lawsOfSecondFactor,
  recoveryCode: lawsOfRecoveryCode,
  passkey: lawsOfPasskey,
  trustedBrowser: lawsOfTrustedBrowser,
  externalSignIn: lawsOfExternalSignIn,
  linkedIdentity: lawsOfLinkedIdentity,
  signInCode: lawsOfSignInCode,
  signingKey: lawsOfSigningKey,
  client: lawsOfClient,
  user: lawsOfUser,
  emailChallenge: lawsOfEmailChallenge,
  webhookDelivery: lawsOfWebhookDelivery,
  mail: lawsOfMail,
  operatorSetUp: lawsOfOperatorSetUp,
  pushedRequest: lawsOfPushedRequest,
  clientDocument: lawsOfClientDocument,
  clientRegistration: lawsOfClientRegistration,
  usedJti: lawsOfUsedJti,
};

export const lawsOf = ({ name }: Pick<Subject, 'name'>): readonly Law[] => [
  ...lawsOfEveryMachine,
  ...(LAWS[name as RunningName] ?? []),
];

/** @param config of the subject's machine, or of a mutant of it. */
export function caseOf(subject: Subject, config: Config): Case {
  const askable = readMachine(withoutCode(config));
  const answers = allAnswers({ machine: askable, events: subject.events }, subject.machine);
  return { subject, machine: readMachine(config), answers };
}
