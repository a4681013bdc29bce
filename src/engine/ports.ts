/** What the engine asks of the world. Storage and crypto implement these; the engine imports neither. */
import type { InteractionState, RevocationReason, SigningKeyState } from '../../machines/vocabulary.ts';
import type { Client, TokenClient } from '../model/client.ts';
import type { Bytes, Grant, SignInFacts } from '../model/grant.ts';
import type { Interaction } from '../model/interaction.ts';
import type { LedgerEntry } from '../model/ledger.ts';
import type { Session } from '../model/session.ts';
import type { NewSigningKey, SigningKeyRow } from '../model/signing-key.ts';

/** What one presentation depends on, read in one statement without a lock. */
export type Loaded = {
  /** The database's clock. */
  readonly now: Date;
  /** The client that presents; null: no such client. A deleted client is loaded with its `deletedAt`. */
  readonly client: TokenClient | null;
  /** The grant that the credential names; null when it names none that is stored. */
  readonly grant: Grant | null;
};

/** Issuing: compare every loaded fact and swap the head of the chain. */
export type HeadMove = {
  readonly loaded: Grant;
  readonly now: Date;
  readonly generation: bigint;
  readonly nonce: Bytes;
  readonly chainEndsAt: Date;
  /** When what is presented ends: decided in time is not enough, it has to be committed in time. */
  readonly endsAt: Date;
  readonly policy: string;
  readonly entry: LedgerEntry;
};

/** Revoking: asks only for `state = 'active'`, so that nobody can outrun it. */
export type Revocation = {
  readonly grantId: string;
  readonly now: Date;
  readonly reason: RevocationReason;
  readonly clientId: string;
  readonly policy: string | null;
  readonly entries: readonly LedgerEntry[];
};

export type GrantStore = {
  readonly load: (key: { clientId: string; grantId: string }) => Promise<Loaded>;
  /** For requests that name no grant: client credentials, and credentials that are not ours. */
  readonly loadClient: (clientId: string) => Promise<{ readonly now: Date; readonly client: Client | null }>;
  /** False: a loaded fact no longer held (or Postgres saw a conflict), and nothing changed. */
  readonly moveHead: (move: HeadMove) => Promise<boolean>;
  /** False: the grant was revoked already, and nothing changed. */
  readonly revoke: (revocation: Revocation) => Promise<boolean>;
};

export type LoadedInteractionFacts = {
  readonly now: Date;
  readonly interaction: Interaction;
  readonly client: Client;
  /** What the person in `userId` of the load has allowed this client before. */
  readonly remembered: { readonly scope: readonly string[]; readonly resources: readonly string[] } | null;
  /** The grant that this interaction made, if it did. */
  readonly grant: {
    readonly id: string;
    readonly codeHash: Bytes;
    readonly codeIsUnused: boolean;
    readonly codeEndsAt: Date;
  } | null;
};

/** A step that makes no grant. */
export type InteractionMove = {
  readonly loaded: Interaction;
  readonly now: Date;
  readonly to: InteractionState;
  readonly userId: string | null;
  readonly entry: LedgerEntry;
};

/** Approving: the interaction moves and its grant is inserted in one statement. */
export type Approval = InteractionMove & {
  readonly session: Session;
  readonly grantId: string;
  readonly codeHash: Bytes;
  readonly codeEndsAt: Date;
  readonly policy: string;
  /** Nobody was asked: it commits only while the consent that was remembered stands. */
  readonly unasked: boolean;
  readonly remember: boolean;
  readonly identity: SignInFacts | null;
};

export type InteractionStore = {
  /** Null: no such interaction. */
  readonly loadInteraction: (key: { id: string; userId: string | null }) => Promise<LoadedInteractionFacts | null>;
  readonly moveInteraction: (move: InteractionMove) => Promise<boolean>;
  readonly approveInteraction: (approval: Approval) => Promise<boolean>;
};

/** All of it or nothing: every key that moves is still in the state that it moves from, and of each algorithm one signs. */
export type SigningKeyCommit = {
  readonly now: Date;
  readonly moves: readonly { readonly from: SigningKeyState; readonly after: SigningKeyRow }[];
  readonly added: { readonly key: NewSigningKey; readonly after: SigningKeyRow } | null;
  readonly entries: readonly (LedgerEntry & { readonly kid: string })[];
};

export type SigningKeyStore = {
  /** Newest first. */
  readonly loadSigningKeys: () => Promise<{ readonly now: Date; readonly keys: readonly SigningKeyRow[] }>;
  /** False: a loaded fact no longer held (or Postgres saw a conflict), and nothing changed. */
  readonly commitSigningKeys: (commit: SigningKeyCommit) => Promise<boolean>;
};
