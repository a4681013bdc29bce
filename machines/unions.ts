/** What all machines say together: every reason to reject, and every effect. */
import type { authorizationCodeEffects } from './authorization-code/effects.ts';
import type { clientEffects } from './client/effects.ts';
import type { emailChallengeEffects } from './email-challenge/effects.ts';
import type { EmailChallengeRejectReason } from './email-challenge/facts.ts';
import type { externalSignInEffects } from './external-sign-in/effects.ts';
import type { ExternalSignInRejectReason } from './external-sign-in/facts.ts';
import type { grantEffects } from './grant/effects.ts';
import type { interactionEffects } from './interaction/effects.ts';
import type { InteractionRejectReason } from './interaction/facts.ts';
import type { linkedIdentityEffects } from './linked-identity/effects.ts';
import type { LinkedIdentityRejectReason } from './linked-identity/facts.ts';
import type { mailEffects } from './mail/effects.ts';
import type { passkeyEffects } from './passkey/effects.ts';
import type { recoveryCodeEffects } from './recovery-code/effects.ts';
import type { refreshTokenEffects } from './refresh-token/effects.ts';
import type { secondFactorEffects } from './second-factor/effects.ts';
import type { sessionEffects } from './session/effects.ts';
import type { SessionRejectReason } from './session/facts.ts';
import type { AdministrationRejectReason, FactorRejectReason, TokenRejectReason } from './shared/facts.ts';
import type { signingKeyEffects } from './signing-key/effects.ts';
import type { userEffects } from './user/effects.ts';
import type { webhookDeliveryEffects } from './webhook-delivery/effects.ts';

export type RejectReason =
  | TokenRejectReason
  | InteractionRejectReason
  | SessionRejectReason
  | FactorRejectReason
  | AdministrationRejectReason
  | ExternalSignInRejectReason
  | LinkedIdentityRejectReason
  | EmailChallengeRejectReason;

/** An effect as data, as the engine reads it from a decision. */
export type Effect = EffectOf<
  | typeof authorizationCodeEffects
  | typeof clientEffects
  | typeof emailChallengeEffects
  | typeof externalSignInEffects
  | typeof grantEffects
  | typeof interactionEffects
  | typeof linkedIdentityEffects
  | typeof mailEffects
  | typeof passkeyEffects
  | typeof recoveryCodeEffects
  | typeof refreshTokenEffects
  | typeof secondFactorEffects
  | typeof sessionEffects
  | typeof signingKeyEffects
  | typeof userEffects
  | typeof webhookDeliveryEffects
>;

type EffectOf<Effects> = Effects extends unknown
  ? {
      [Name in keyof Effects]: Effects[Name] extends (...args: infer Args) => void
        ? Args extends [unknown, infer Params]
          ? { readonly type: Name; readonly params: Params }
          : { readonly type: Name }
        : never;
    }[keyof Effects]
  : never;
