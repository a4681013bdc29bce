/** What the walk of signing in and consenting speaks of. */
import type { InteractionEvent } from '../../../../machines/interaction/facts.ts';
import type { SessionEvent } from '../../../../machines/session/facts.ts';
import type { InteractionOutcome, LoadedInteraction } from '../../../lifecycles/interaction/lifecycle.ts';
import type { SessionUse } from '../../../lifecycles/session/lifecycle.ts';
import type { Session } from '../../../model/session.ts';
import type { Action } from '../walk.ts';
import type { SignIn, SignInCommit } from './store.ts';

export type InteractionEventType = InteractionEvent['type'];
/** Those that a request is about; the others are raised epochs. */
export type SessionEventType = Extract<
  SessionEvent['type'],
  'used' | 'factorAdded' | 'signOutRequested' | 'endRequested' | 'endRequestedByAdministrator' | 'signedInAgain'
>;

export type Asked =
  /** `session`: as it was admitted when the request came. It may have ended since. */
  | { readonly kind: 'interaction'; readonly event: InteractionEventType; readonly session: Session | null }
  | { readonly kind: 'session'; readonly event: SessionEventType; readonly sid: string };

export type LoadedSession = { readonly now: Date; readonly session: Session };

export type Known = {
  /** Users who were asked for their consent in this interaction. */
  readonly askedForConsent: readonly string[];
  /** `sid`s of sessions whose end has been acknowledged. */
  readonly ended: readonly string[];
};

export type Terms = {
  readonly stored: SignIn;
  readonly asked: Asked;
  readonly loaded: LoadedInteraction | LoadedSession;
  readonly commit: SignInCommit;
  readonly answer: InteractionOutcome | SessionUse | boolean;
  readonly known: Known;
};

/** An action that ends sessions or grants; the event is the one by which their machines know it. */
export type Ending = Action<Terms> & {
  readonly event?: 'userDisabled' | 'passwordChanged' | 'serverRecovered' | 'clientDeleted';
};
