import { rejectWith } from '../shared/effects.ts';
import type { AuthorizationRefusal, InteractionRejectReason } from './facts.ts';

/** The effects of this machine are data: the engine applies them, and XState never executes them. */
export const interactionEffects = {
  reject: rejectWith<InteractionRejectReason>(),
  /** Show the sign-in page. */
  askSignIn(): void {},
  /** Show the sign-up page, which leads back to the sign-in page. */
  askSignUp(): void {},
  /** Show the page of the additional factor: it asks for the factor, or leads to its set-up. */
  askFactor(): void {},
  /** Show the signed-in end-user, and let the end-user continue or sign in with another account. */
  askAccount(): void {},
  /** Bind the interaction to the user who signed in, and show the consent page. */
  askConsent(): void {},
  /** Show the consent page again. */
  showConsent(): void {},
  /** Approve: create the grant and its authorization code, and redirect with `code`. */
  issueCode(): void {},
  /** Store the grant and no interaction: the authorization request itself is approved, so no page has the id of the interaction. */
  storeGrantAlone(): void {},
  /** Remember the consent, so that the same request need not ask again. */
  rememberConsent(): void {},
  /** Approve without asking, only while the registration of the client says so. */
  relyOnRegistration(): void {},
  /** Approve without asking, only while the remembered consent is active. */
  relyOnConsent(): void {},
  /** Redirect with this error. */
  refuseAuthorization(_: unknown, _params: { error: AuthorizationRefusal }): void {},
  /** Redirect with this error immediately. The server stores no interaction: it answers before an end-user sees a page. */
  refuseSilently(_: unknown, _params: { error: AuthorizationRefusal }): void {},
  /** Repeat the earlier answer; nothing new is issued. */
  repeatAnswer(): void {},
};

export const refuseAuthorization = (error: AuthorizationRefusal) =>
  ({ type: 'refuseAuthorization', params: { error } }) as const;

export const refuseSilently = (error: AuthorizationRefusal) => ({ type: 'refuseSilently', params: { error } }) as const;
