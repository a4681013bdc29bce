/** Where a scenario is played, as those who play it see it: the server itself (server/). */
import type { Acting, Actor, Approving, EndName, Fate, GivingBack, Operating, Presenting } from './scenario.ts';
import type { GivenKind } from './things.ts';

/** The outcome of a request. */
export type Answer<Credential> =
  | { readonly kind: 'tokens'; readonly credential: Credential }
  /** Of what a person does in a browser. */
  | { readonly kind: 'gives'; readonly what: GivenKind; readonly credential: Credential }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unavailable'; readonly reason: string }
  /** Done. Of a request to revoke: it is 200 whatever there was to end (RFC 7009 §2.2). */
  | { readonly kind: 'done' };

/** A statement that was sent to the database, for the diagram. */
export type Statement =
  | { readonly kind: 'load'; readonly again: boolean }
  | {
      readonly kind: 'commit';
      readonly what: 'tokens' | 'revocation';
      /** `held`: executed and acknowledged. */
      readonly came: 'held' | 'guardLost' | 'answerLost' | 'lost' | 'notSent';
    };

/** A request in flight, up to the load of its row. */
export type UnderWay<Credential> = {
  readonly statements: readonly Statement[];
  /** Runs the request to its end. */
  readonly finish: () => Promise<{ readonly statements: readonly Statement[]; readonly answer: Answer<Credential> }>;
};

/** `reason`: why it is dead. */
export type Chain = { readonly alive: boolean; readonly reason: string | null };

/** Of the cookie that a browser has. `reason`: why it has ended. */
export type SessionSeen = {
  readonly state: 'active' | 'awaitingSecondFactor' | 'ended' | 'unknown';
  readonly reason: string | null;
};

type Sent<Of, Credential> = Omit<Of, 'credential'> & { readonly credential: Credential };

export type Stage<Credential> = {
  /** Milliseconds since the first step. */
  readonly now: () => number;
  readonly setNow: (milliseconds: number) => void;
  /** Milliseconds after the first step; null: there is no such end yet. */
  readonly endOf: (end: EndName) => Promise<number | null>;
  /** In the browser of this actor; the client gets the code. */
  readonly approve: (
    actor: Actor,
    action: Approving,
  ) => Promise<
    | { readonly kind: 'code'; readonly credential: Credential }
    | Extract<Answer<Credential>, { kind: 'refused' | 'unavailable' }>
  >;
  readonly present: (
    actor: Actor,
    action: Sent<Presenting, Credential>,
    fate: Fate | null,
  ) => Promise<UnderWay<Credential>>;
  /** `credential` null: the resource owner ends all that the client may do. */
  readonly revoke: (
    actor: Actor,
    action: Sent<GivingBack, Credential | null>,
    fate: Fate | null,
  ) => Promise<UnderWay<Credential>>;
  readonly operate: (deed: Operating['deed']) => Promise<void>;
  /** What a person does in a browser. @param thing what it is about; null: a deed is about none. */
  readonly act: (actor: Actor, action: Acting, thing: Credential | null) => Promise<Answer<Credential>>;
  /** Null: there is no chain yet. */
  readonly chain: () => Promise<Chain | null>;
  /** Null: the browser has no cookie. */
  readonly session: (actor: Actor) => Promise<SessionSeen | null>;
};
