/**
 * Where a scenario is played: in memory, by the engine's own steps (memory-stage.ts), or, in the tests, on the real server. Both
 * are told the same, and have to answer the same.
 */
import type { Actor, Approving, EndName, Fate, GivingBack, Operating, Presenting } from './scenario.ts';

/** What came of a request. `unanswered`: whoever asked never heard. */
export type Answer<Credential> =
  | { readonly kind: 'tokens'; readonly credential: Credential }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unavailable'; readonly reason: string }
  /** Of a request to revoke, which is 200 whatever there was to end (RFC 7009 §2.2). */
  | { readonly kind: 'done' };

/** A statement that the database was sent, for the picture. */
export type Statement =
  | { readonly kind: 'load'; readonly again: boolean }
  | {
      readonly kind: 'commit';
      readonly what: 'tokens' | 'revocation';
      /** `held`: carried out, and told. */
      readonly came: 'held' | 'guardLost' | 'answerLost' | 'lost' | 'notSent';
    };

/** A request that has been sent, up to where the server has loaded its row. */
export type UnderWay<Credential> = {
  readonly statements: readonly Statement[];
  /** To its end. */
  readonly finish: () => Promise<{ readonly statements: readonly Statement[]; readonly answer: Answer<Credential> }>;
};

/** `reason`: why it is dead. */
export type Chain = { readonly alive: boolean; readonly reason: string | null };

type Sent<Of, Credential> = Omit<Of, 'credential'> & { readonly credential: Credential };

export type Stage<Credential> = {
  /** Milliseconds since the approval. */
  readonly now: () => number;
  readonly setNow: (milliseconds: number) => void;
  /** Milliseconds after the approval; null: there is no such end yet. */
  readonly endOf: (end: EndName) => Promise<number | null>;
  readonly approve: (action: Approving) => Promise<Credential>;
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
  readonly chain: () => Promise<Chain>;
};
