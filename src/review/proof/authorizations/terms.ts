/** What the walk of an authorization speaks of. */
import type { GrantEventType } from '../../../../machines/grant/facts.ts';
import type { PresentedCode } from '../../../lifecycles/authorization-code/lifecycle.ts';
import type { GrantCommit } from '../../../lifecycles/grant/lifecycle.ts';
import type { LoadedPresentation, Outcome } from '../../../lifecycles/presentation.ts';
import type { PresentedRefreshToken } from '../../../lifecycles/refresh-token/lifecycle.ts';
import type { AccessToday } from '../../../model/grant.ts';
import type { Lifetimes } from '../../../model/lifetimes.ts';
import type { Action, Walk } from '../walk.ts';
import type { Authorization } from './store.ts';

/** A refresh token as it was made; in flight until its answer left the server. */
export type Token = {
  readonly generation: bigint;
  /** Which draw it was; its 16 bytes are made from it. */
  readonly nonce: number;
  /** Milliseconds since 1970. */
  readonly mintedAt: number;
};

/** The code, or one of the refresh tokens that left, by its place in `Known.tokens`. */
export type Credential = 'code' | number;

export type Asked =
  | {
      readonly kind: 'code';
      readonly credential: 'code';
      readonly said: PresentedCode;
      /** Absent: the client may have all that was granted. */
      readonly today?: Partial<AccessToday>;
    }
  | {
      readonly kind: 'token';
      readonly credential: number;
      readonly token: Token;
      readonly said: PresentedRefreshToken;
      readonly today?: Partial<AccessToday>;
    }
  /** The client, the end-user or an operator asks the grant to end. */
  | { readonly kind: 'revocation'; readonly credential: null };

/** What the client and the thief have, and what was promised to them. */
export type Known = {
  /** Tokens that left the server. */
  readonly tokens: readonly Token[];
  /** Credentials whose one use has been committed. */
  readonly spent: readonly Credential[];
  /** A second use has been answered, or a revocation committed: nothing may be issued any more. */
  readonly ended: boolean;
};

export type Terms = {
  readonly stored: Authorization;
  readonly asked: Asked;
  readonly loaded: LoadedPresentation;
  readonly commit: GrantCommit;
  /** Of a presentation its outcome; of a revocation whether it ended the grant. */
  readonly answer: Outcome<Token> | boolean;
  readonly known: Known;
};

/** A walk that also knows the policy it is under. */
export type AuthorizationWalk = Walk<Terms> & { readonly lifetimes: Lifetimes };

/** An action that ends grants; the event is the one by which the grant's machine knows it. */
export type Ending = Action<Terms> & { readonly event?: GrantEventType };
