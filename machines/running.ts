/** The only list of the machines that run. Each of them is drawn, tabulated, compared, and tested by the laws for all machines. */
import { authorizationCodeMachine } from './authorization-code/machine.ts';
import { clientMachine } from './client/machine.ts';
import { clientDocumentMachine } from './client-document/machine.ts';
import { clientRegistrationMachine } from './client-registration/machine.ts';
import { emailChallengeMachine } from './email-challenge/machine.ts';
import { externalSignInMachine } from './external-sign-in/machine.ts';
import { grantMachine } from './grant/machine.ts';
import { interactionMachine } from './interaction/machine.ts';
import { linkedIdentityMachine } from './linked-identity/machine.ts';
import { mailMachine } from './mail/machine.ts';
import { operatorSetUpMachine } from './operator-set-up/machine.ts';
import { passkeyMachine } from './passkey/machine.ts';
import { pushedRequestMachine } from './pushed-request/machine.ts';
import { recoveryCodeMachine } from './recovery-code/machine.ts';
import { refreshTokenMachine } from './refresh-token/machine.ts';
import { secondFactorMachine } from './second-factor/machine.ts';
import { sessionMachine } from './session/machine.ts';
import { signInCodeMachine } from './sign-in-code/machine.ts';
import { signingKeyMachine } from './signing-key/machine.ts';
import { trustedBrowserMachine } from './trusted-browser/machine.ts';
import { usedJtiMachine } from './used-jti/machine.ts';
import { userMachine } from './user/machine.ts';
import { webhookDeliveryMachine } from './webhook-delivery/machine.ts';

/** By id, in the best order for reading. */
export const RUNNING = {
  refreshToken: refreshTokenMachine,
  authorizationCode: authorizationCodeMachine,
  grant: grantMachine,
  interaction: interactionMachine,
  pushedRequest: pushedRequestMachine,
  session: sessionMachine,
  externalSignIn: externalSignInMachine,
  linkedIdentity: linkedIdentityMachine,
  signInCode: signInCodeMachine,
  secondFactor: secondFactorMachine,
  recoveryCode: recoveryCodeMachine,
  passkey: passkeyMachine,
  trustedBrowser: trustedBrowserMachine,
  signingKey: signingKeyMachine,
  client: clientMachine,
  clientDocument: clientDocumentMachine,
  clientRegistration: clientRegistrationMachine,
  user: userMachine,
  emailChallenge: emailChallengeMachine,
  webhookDelivery: webhookDeliveryMachine,
  mail: mailMachine,
  operatorSetUp: operatorSetUpMachine,
  usedJti: usedJtiMachine,
} as const;

export type RunningName = keyof typeof RUNNING;
