/** What the engine asks of the world. Storage and crypto implement these; the engine imports neither. */
import type {
  GrantState,
  InteractionState,
  KeyRetirementReason,
  Prompt,
  RevocationReason,
  SigningKeyState,
} from '../../machines/vocabulary.ts';

export type Bytes = Uint8Array;

/** RFC 7518 §3.1 and RFC 8037 §3.1: what tokens may be signed with. */
export type SigningAlgorithm = 'ES256' | 'RS256' | 'EdDSA';

/** OAuth 2.0 Multiple Response Types §2.1, OAuth 2.0 Form Post Response Mode §2. */
export type ResponseMode = 'query' | 'form_post';

/** How and when the resource owner signed in, kept with the grant for its ID Tokens. */
export type SignInFacts = {
  readonly nonce: string | null;
  /** Seconds since 1970 (UTC). */
  readonly authTime: number;
  /** The browser session's public name. */
  readonly sid: string;
};

/** A registered client as stored (RFC 7591 names in camelCase). */
export type ClientRecord = {
  readonly clientId: string;
  readonly clientName: string;
  readonly applicationType: 'web' | 'native';
  readonly tokenEndpointAuthMethod: 'none' | 'client_secret_basic' | 'client_secret_post';
  readonly secretMacs: readonly { readonly keyId: string; readonly mac: string; readonly short?: true }[];
  readonly redirectUris: readonly string[];
  readonly grantTypes: readonly string[];
  readonly scope: readonly string[] | null;
  readonly defaultScope: readonly string[] | null;
  readonly defaultResource: string | null;
  readonly policy: string;
  readonly postLogoutRedirectUris: readonly string[];
  readonly idTokenSignedResponseAlg: SigningAlgorithm;
  readonly epoch: bigint;
  readonly deletedAt: Date | null;
};

/** What presenting a credential needs of a client: no more is read on the hot path. */
export type PresentingClient = Pick<
  ClientRecord,
  | 'clientId'
  | 'tokenEndpointAuthMethod'
  | 'secretMacs'
  | 'grantTypes'
  | 'policy'
  | 'idTokenSignedResponseAlg'
  | 'epoch'
  | 'deletedAt'
>;

/** One row of `grants`, with the epochs of today beside those it was made under. */
export type LoadedGrant = {
  readonly id: string;
  readonly interactionId: string;
  readonly clientId: string;
  readonly userId: string;
  readonly clientEpoch: bigint;
  readonly userEpoch: bigint;
  readonly serverEpoch: bigint;
  readonly scope: readonly string[];
  readonly resources: readonly string[];
  readonly codeHash: Bytes;
  readonly codeChallenge: string;
  readonly redirectUri: string;
  /** Null: `openid` was not granted, so there are no ID Tokens. */
  readonly identity: SignInFacts | null;
  readonly codeEndsAt: Date;
  readonly state: GrantState;
  readonly revokedReason: string | null;
  readonly refreshGeneration: bigint | null;
  readonly refreshNonce: Bytes | null;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly chainEndsAt: Date | null;
  /** Of today; null when the client is deleted or the user disabled. Another client's presentation is refused unseen. */
  readonly liveClientEpoch: bigint | null;
  readonly liveUserEpoch: bigint | null;
  readonly liveServerEpoch: bigint;
};

/** What one presentation depends on, read in one statement without a lock. */
export type Loaded = {
  /** The database's clock. */
  readonly now: Date;
  /** The client that presents; null: no such client. A deleted client is loaded with its `deletedAt`. */
  readonly client: PresentingClient | null;
  /** The grant that the credential names; null when it names none that is stored. */
  readonly grant: LoadedGrant | null;
};

/** One line of the ledger: a decision that changed a state. */
export type LedgerEntry = {
  readonly machine: string;
  readonly event: string;
  readonly from: string;
  readonly to: string;
  readonly reason: string | null;
  readonly generation: bigint | null;
};

/** Issuing: compare every loaded fact and swap the head of the chain. */
export type HeadMove = {
  readonly loaded: LoadedGrant;
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
  readonly loadClient: (clientId: string) => Promise<{ readonly now: Date; readonly client: ClientRecord | null }>;
  /** False: a loaded fact no longer held (or Postgres saw a conflict), and nothing changed. */
  readonly moveHead: (move: HeadMove) => Promise<boolean>;
  /** False: the grant was revoked already, and nothing changed. */
  readonly revoke: (revocation: Revocation) => Promise<boolean>;
};

/** One row of `interactions`, with what deciding about it depends on. */
export type LoadedInteraction = {
  readonly id: string;
  readonly state: InteractionState;
  readonly browserHash: Bytes;
  readonly clientId: string;
  readonly clientEpoch: bigint;
  readonly redirectUri: string;
  readonly codeChallenge: string;
  readonly scope: readonly string[];
  readonly resources: readonly string[];
  readonly requestState: string | null;
  readonly nonce: string | null;
  readonly prompt: readonly Prompt[];
  readonly maxAgeSeconds: number | null;
  readonly hintedUserId: string | null;
  readonly loginHint: string | null;
  readonly responseMode: ResponseMode;
  readonly userId: string | null;
  readonly endsAt: Date;
};

/** The signed-in person whose browser is asking. */
export type LiveSession = {
  readonly sid: string;
  readonly userId: string;
  readonly username: string;
  readonly userEpoch: bigint;
  readonly serverEpoch: bigint;
  readonly signedInAt: Date;
};

export type LoadedInteractionFacts = {
  readonly now: Date;
  readonly interaction: LoadedInteraction;
  readonly client: ClientRecord;
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
  readonly loaded: LoadedInteraction;
  readonly now: Date;
  readonly to: InteractionState;
  readonly userId: string | null;
  readonly entry: LedgerEntry;
};

/** Approving: the interaction moves and its grant is inserted in one statement. */
export type Approval = InteractionMove & {
  readonly session: LiveSession;
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

/** One row of `signing_keys`, without what it is made of. */
export type LoadedSigningKey = {
  readonly kid: string;
  readonly alg: SigningAlgorithm;
  readonly state: SigningKeyState;
  /** Published since. */
  readonly createdAt: Date;
  /** By then every cache holds it. */
  readonly maySignAt: Date;
  readonly beganSigningAt: Date | null;
  readonly rotationAskedAt: Date | null;
  readonly stoppedSigningAt: Date | null;
  readonly retiredAt: Date | null;
  readonly retiredReason: KeyRetirementReason | null;
};

/** Made, and not stored yet. */
export type NewSigningKey = {
  readonly kid: string;
  readonly alg: SigningAlgorithm;
  readonly publicJwk: Readonly<Record<string, unknown>>;
  /** Encrypted under the root secret. */
  readonly privateJwe: string;
};

/** All of it or nothing: every key that moves is still in the state that it moves from, and of each algorithm one signs. */
export type SigningKeyCommit = {
  readonly now: Date;
  readonly moves: readonly { readonly from: SigningKeyState; readonly after: LoadedSigningKey }[];
  readonly added: { readonly key: NewSigningKey; readonly after: LoadedSigningKey } | null;
  readonly entries: readonly (LedgerEntry & { readonly kid: string })[];
};

export type SigningKeyStore = {
  /** Newest first. */
  readonly loadSigningKeys: () => Promise<{ readonly now: Date; readonly keys: readonly LoadedSigningKey[] }>;
  /** False: a loaded fact no longer held (or Postgres saw a conflict), and nothing changed. */
  readonly commitSigningKeys: (commit: SigningKeyCommit) => Promise<boolean>;
};
