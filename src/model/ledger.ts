import type { Actor } from './actor.ts';

/** The order of the ledger, and so the chain of its seals, is that of one shard. A plain Postgres is one, of this number. */
export const SHARD = 1;

/** The server drops its months after that many days, unless ledger.yaml says otherwise. */
export const LEDGER_KEPT_DAYS = 90;

/** Of a sign-in. */
export type SignInOrigin = {
  /** Null: it came from no browser. */
  readonly address: string | null;
  /** A keyed hash of the username, whether or not an end-user has it; null: no account was named. */
  readonly accountHash: string | null;
};

/** The presenter of a code or a token: for entries about one that was used before. */
export type Presenter = {
  /** As far as proxies are trusted. */
  readonly address: string;
  /** The header, bounded and in printable ASCII; null: not sent. */
  readonly userAgent: string | null;
};

/** One ledger entry: a decision that changed stored rows. People read it; no decision depends on it. */
export type LedgerEntry = {
  readonly machine: string;
  readonly event: string;
  readonly from: string;
  readonly to: string;
  readonly reason: string | null;
  /** The head's generation afterwards; null: the line is not about a chain. */
  readonly generation: bigint | null;
  /** Scope tokens that were granted, but left out of these tokens, since they are above the client's current ceiling; null: none. */
  readonly scopeWithheld?: string | null;
  /** The `kid` of the key that the line is about. */
  readonly signingKeyId?: string;
  /** The `sid` of the session that the line is about. */
  readonly sessionId?: string;
  /** The client that the line is about, where it is about no grant. */
  readonly clientId?: string;
  /** The policy of that client. */
  readonly policy?: string | null;
  /** The interaction that the line is about; null: it was not stored yet. */
  readonly interactionId?: string | null;
  /** The `sub` of the end-user that the line is about, where it is about no grant. */
  readonly userId?: string;
  /** The actor, where they asked on behalf of others. */
  readonly actor?: Actor;
  /** From where, where it is about a sign-in. */
  readonly origin?: SignInOrigin;
  readonly presenter?: Presenter;
  /** The names of the fields that were changed, as records have them; never their values. */
  readonly fields?: readonly string[];
};
