/** The effects of every machine, by name, with every reason to reject. */
import { authorizationCodeEffects } from '../../machines/authorization-code/effects.ts';
import { clientEffects } from '../../machines/client/effects.ts';
import { clientDocumentEffects } from '../../machines/client-document/effects.ts';
import { clientRegistrationEffects } from '../../machines/client-registration/effects.ts';
import { emailChallengeEffects } from '../../machines/email-challenge/effects.ts';
import { externalSignInEffects } from '../../machines/external-sign-in/effects.ts';
import { grantEffects } from '../../machines/grant/effects.ts';
import { interactionEffects } from '../../machines/interaction/effects.ts';
import { linkedIdentityEffects } from '../../machines/linked-identity/effects.ts';
import { mailEffects } from '../../machines/mail/effects.ts';
import { operatorSetUpEffects } from '../../machines/operator-set-up/effects.ts';
import { passkeyEffects } from '../../machines/passkey/effects.ts';
import { pushedRequestEffects } from '../../machines/pushed-request/effects.ts';
import { recoveryCodeEffects } from '../../machines/recovery-code/effects.ts';
import { refreshTokenEffects } from '../../machines/refresh-token/effects.ts';
import { secondFactorEffects } from '../../machines/second-factor/effects.ts';
import { sessionEffects } from '../../machines/session/effects.ts';
import { rejectWith } from '../../machines/shared/effects.ts';
import { signInCodeEffects } from '../../machines/sign-in-code/effects.ts';
import { signingKeyEffects } from '../../machines/signing-key/effects.ts';
import { trustedBrowserEffects } from '../../machines/trusted-browser/effects.ts';
import type { RejectReason } from '../../machines/unions.ts';
import { usedJtiEffects } from '../../machines/used-jti/effects.ts';
import { userEffects } from '../../machines/user/effects.ts';
import { webhookDeliveryEffects } from '../../machines/webhook-delivery/effects.ts';

export const effects = {
  ...authorizationCodeEffects,
  ...clientEffects,
  ...clientDocumentEffects,
  ...clientRegistrationEffects,
  ...emailChallengeEffects,
  ...externalSignInEffects,
  ...grantEffects,
  ...interactionEffects,
  ...linkedIdentityEffects,
  ...mailEffects,
  ...operatorSetUpEffects,
  ...pushedRequestEffects,
  ...passkeyEffects,
  ...recoveryCodeEffects,
  ...refreshTokenEffects,
  ...secondFactorEffects,
  ...sessionEffects,
  ...signInCodeEffects,
  ...signingKeyEffects,
  ...trustedBrowserEffects,
  ...usedJtiEffects,
  ...userEffects,
  ...webhookDeliveryEffects,
  reject: rejectWith<RejectReason>(),
};
