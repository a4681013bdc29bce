/** The model of an authorization: the rows of one grant and of its owners, and the credentials that are out. */

import type { TokenClient } from '../../../model/client.ts';
import { type AccessToday, type Grant, sameBytes } from '../../../model/grant.ts';
import type { Lifetimes } from '../../../model/lifetimes.ts';
import { WEB_CLIENT } from '../../../review/proof/clients.ts';
import { drawn, drawnId, THE_CLIENT } from '../../../review/proof/identities.ts';
import { after } from '../../../review/proof/instants.ts';
import { liveEpochs, type Owners, ownersStand } from '../../../review/proof/owners.ts';
import type { Walk } from '../../../review/proof/walk.ts';
import type { PresentedCode } from '../../authorization-code/lifecycle.ts';
import type { LoadedPresentation, Outcome } from '../../presentation.ts';
import type { PresentedRefreshToken } from '../../refresh-token/lifecycle.ts';
import type { GrantCommit, HeadMove, HeadRepeat, Revocation } from '../lifecycle.ts';

/** The stored row of the grant itself; the current epochs are their owners'. */
export type StoredGrant = Omit<Grant, 'liveClientEpoch' | 'liveUserEpoch' | 'liveServerEpoch'>;

/** The rows that a presentation depends on. */
export type Authorization = Owners & { readonly grant: StoredGrant };

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

/** The tokens of the client and the thief, and the server's promises to them. */
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

export const SCOPE = ['read', 'write'];
export const RESOURCES = ['https://api.example', 'https://files.example'];
export const REDIRECT_URI = 'https://client.example/callback';
/** S256 of the right verifier; the explorer never computes one, it says whether it was right. */
export const CHALLENGE = 'the challenge of the right verifier';
/** The key of the client: the code is bound to it, and so is each refresh token. */
export const THE_KEY = 'the key of the client';

const client = (clientId: string): TokenClient => ({
  ...WEB_CLIENT,
  clientId,
  tokenEndpointAuthMethod: 'none',
  grantTypes: ['authorization_code', 'refresh_token'],
});
export const CLIENT = client(THE_CLIENT);
export const OTHER_CLIENT = client(drawn('another-client'));

/** The client's ceiling still holds all that was granted; probes.ts narrows it. */
export const allOfIt = ({ scope, resources }: Pick<Grant, 'scope' | 'resources'>): AccessToday => ({
  scope,
  resources,
  mayRefresh: true,
});

const GRANT_ID = drawnId();
const USER_ID = drawnId();

export const approved = (lifetimes: Lifetimes): Authorization => ({
  grant: {
    id: GRANT_ID,
    clientId: CLIENT.clientId,
    userId: USER_ID,
    clientEpoch: 0n,
    userEpoch: 0n,
    serverEpoch: 0n,
    scope: SCOPE,
    resources: RESOURCES,
    codeHash: new Uint8Array(32),
    codeChallenge: CHALLENGE,
    dpopJkt: THE_KEY,
    redirectUri: REDIRECT_URI,
    identity: null,
    codeEndsAt: after(lifetimes.authorizationCodeLifetimeSeconds),
    state: 'active',
    revokedReason: null,
    refreshGeneration: null,
    refreshNonce: null,
    createdAt: after(0),
    lastUsedAt: null,
    chainEndsAt: null,
  },
  client: { epoch: 0n, isDeleted: false },
  user: { epoch: 0n, isDisabled: false },
  serverEpoch: 0n,
});

// One authorization under the same contract as in Postgres (src/storage/grant-store.ts). A load takes no lock, an issuing commit
// compares every loaded fact, and a revocation requires only `state = 'active'`.

export function loadPresentation(stored: Authorization, client: TokenClient, now: Date): LoadedPresentation {
  const { grant } = stored;
  return {
    now,
    client,
    grant: {
      ...grant,
      ...liveEpochs(stored),
      // Another client's presentation is refused by the machine before any state is looked at.
      ...(client.clientId !== grant.clientId && { liveClientEpoch: grant.clientEpoch }),
    },
    claims: null,
  };
}

type Fact = (stored: Authorization, move: HeadRepeat, now: Date) => boolean;

/** Every fact that an issuing commit compares, by name, so that a test can leave out each and see the consequences. */
export const ISSUING_GUARD: Readonly<Record<string, Fact>> = {
  stateIsActive: ({ grant }) => grant.state === 'active',
  generationIsLoaded: ({ grant }, { loaded }) => grant.refreshGeneration === loaded.refreshGeneration,
  nonceIsLoaded: ({ grant }, { loaded }) => sameBytes(grant.refreshNonce, loaded.refreshNonce),
  ...ownersStand<Authorization, HeadRepeat>(
    (stored) => stored,
    ({ grant }) => grant,
  ),
  timeIsNotOver: (_, { endsAt }, now) => now < endsAt,
};

/** @returns null when the guard did not hold: nothing changed. */
export function moveHead(
  stored: Authorization,
  move: HeadMove,
  now: Date,
  guard: Readonly<Record<string, Fact>> = ISSUING_GUARD,
): Authorization | null {
  if (!Object.values(guard).every((holds) => holds(stored, move, now))) return null;
  const { generation, nonce, now: usedAt, chainEndsAt } = move;
  return {
    ...stored,
    grant: {
      ...stored.grant,
      refreshGeneration: generation,
      refreshNonce: nonce,
      lastUsedAt: usedAt,
      chainEndsAt,
    },
  };
}

/** @returns null when the guard did not hold. Nothing changes in either case. */
export const repeatHead = (
  stored: Authorization,
  repeat: HeadRepeat,
  now: Date,
  guard: Readonly<Record<string, Fact>> = ISSUING_GUARD,
): Authorization | null => (Object.values(guard).every((holds) => holds(stored, repeat, now)) ? stored : null);

/** @returns null when it had been revoked before: nothing changed, the first reason stays. */
export function revoke(stored: Authorization, { reason }: Revocation): Authorization | null {
  if (stored.grant.state !== 'active') return null;
  return { ...stored, grant: { ...stored.grant, state: 'revoked', revokedReason: reason } };
}

/** @returns null when nothing changed. */
export const commitGrant = (
  stored: Authorization,
  commit: GrantCommit,
  now: Date,
  guard?: Readonly<Record<string, Fact>>,
): Authorization | null => {
  if (commit.kind === 'moveHead') return moveHead(stored, commit.move, now, guard);
  return commit.kind === 'repeatHead'
    ? repeatHead(stored, commit.repeat, now, guard)
    : revoke(stored, commit.revocation);
};
