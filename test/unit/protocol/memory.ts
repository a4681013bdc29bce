/** Stores in memory, and keys of their own: for use cases that need neither a database nor HTTP. */
import { generateKeyPairSync } from 'node:crypto';
import type { Configuration } from '../../../src/config/configuration.ts';
import { authorizationCodeOf } from '../../../src/crypto/authorization-code.ts';
import { storedSecretMac } from '../../../src/crypto/client-secret.ts';
import { sha256 } from '../../../src/crypto/digest.ts';
import { systemRandom } from '../../../src/crypto/random.ts';
import { type RefreshTokenPlace, writeRefreshToken } from '../../../src/crypto/refresh-token.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import { rawSecret } from '../../../src/crypto/secret-types.ts';
import type { KeyRing, SigningKeyHere } from '../../../src/crypto/signing-keys.ts';
import type { GrantCommit, GrantStore } from '../../../src/lifecycles/grant/lifecycle.ts';
import type { InteractionStore, StoredInteraction } from '../../../src/lifecycles/interaction/lifecycle.ts';
import type { PushedRequestStore } from '../../../src/lifecycles/pushed-request/lifecycle.ts';
import type { SessionStore } from '../../../src/lifecycles/session/lifecycle.ts';
import type { UsedJti } from '../../../src/lifecycles/used-jti/entity.ts';
import type { Client } from '../../../src/model/client.ts';
import { type Grant, sameBytes } from '../../../src/model/grant.ts';
import type { Interaction } from '../../../src/model/interaction.ts';
import type { Session } from '../../../src/model/session.ts';
import type { Claims } from '../../../src/model/user.ts';
import type { SigningAlgorithm } from '../../../src/oauth/signing-algorithms.ts';
import type { SentTokenDeps } from '../../../src/protocol/sent-token.ts';
import { at, configuration, grant } from './ports.ts';

export const ISSUER = 'https://as.test';
export const keys = rootKeys(['a root secret for tests, of more than 32 bytes']);

const PAIRS: Partial<Record<SigningAlgorithm, ReturnType<typeof generateKeyPairSync>>> = {
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: generateKeyPairSync('ed25519'),
};
const pairOf = (alg: string) => PAIRS[alg as SigningAlgorithm];
/** Without RS256, whose keys take long. The `kid` is the name of the algorithm. */
export const keyRing: KeyRing<SigningKeyHere> = {
  signerOf: (alg) => {
    const pair = pairOf(alg);
    if (!pair) throw new Error(`no key signs ${alg}`);
    return { kid: alg, alg, privateKey: pair.privateKey };
  },
  published: () => [{ alg: 'ES256' }, { alg: 'EdDSA' }, { alg: 'ES256' }],
  verifierOf: (kid) => {
    const pair = pairOf(kid);
    return pair ? { alg: kid as SigningAlgorithm, publicKey: pair.publicKey } : null;
  },
  lookAgain: async () => {},
};

/** Without its signature, which src/crypto checks. */
export const claimsIn = (jwt: string | undefined): Record<string, unknown> =>
  JSON.parse(Buffer.from(jwt?.split('.')[1] ?? '', 'base64url').toString());
export const headerOf = (jwt: string | undefined): Record<string, unknown> =>
  JSON.parse(Buffer.from(jwt?.split('.')[0] ?? '', 'base64url').toString());

export const SID = '2f0b8a52-3f5e-4c1b-9d7e-4d8f2f0a1b2c';
export const COOKIE = Buffer.from('the hash of a cookie');
/** Of Alice, who signed in at the start. */
export const session = (change: Partial<Session> = {}): Session => ({
  idHash: COOKIE,
  sid: SID,
  userId: '00000000-0000-4000-8000-000000000003',
  username: 'alice',
  userEpoch: 1n,
  serverEpoch: 1n,
  signedInAt: at(0),
  lastUsedAt: at(0),
  endsAt: at(3600),
  state: 'active',
  endedReason: null,
  amr: ['pwd'],
  userAgent: null,
  liveUserEpoch: 1n,
  liveServerEpoch: 1n,
  ...change,
});

/** Sessions, with what was asked of them. Its time stands still at the given second. */
export function sessionsInMemory(stored: readonly Session[] = [session()], second = 10) {
  const rows = [...stored];
  const done: string[] = [];
  const sessions: SessionStore = {
    load: async (key) => {
      if ('idHash' in key && !(key.idHash instanceof Uint8Array))
        throw new Error('asked for a session without a cookie');
      const isAskedFor = (row: Session) =>
        'idHash' in key ? sameBytes(row.idHash, key.idHash) : row.sid === key.sid && row.userId === key.userId;
      return { now: at(second), session: rows.find(isAskedFor) ?? null };
    },
    list: async (userId) => ({ now: at(second), sessions: rows.filter((row) => row.userId === userId) }),
    insert: async ({ lifetimeSeconds, factor: _, ...row }) => {
      const endsAt = at(second + lifetimeSeconds);
      const live = { liveUserEpoch: row.userEpoch, liveServerEpoch: row.serverEpoch };
      rows.push(session({ ...row, ...live, signedInAt: at(second), lastUsedAt: at(second), endsAt }));
      done.push('insert');
      return { signedInAt: at(second), lastUsedAt: at(second), endsAt };
    },
    commit: async (commit) => {
      const place = rows.findIndex(({ sid }) => sid === commit.loaded.sid);
      const ended = commit.kind === 'end' ? ({ state: 'ended', endedReason: commit.reason } as const) : null;
      rows[place] = { ...commit.loaded, ...(ended ?? { lastUsedAt: commit.now }) };
      done.push(commit.kind === 'end' ? `${commit.reason} ${commit.loaded.sid}` : commit.kind);
      return true;
    },
  };
  return { rows, done, sessions };
}

export const VERIFIER = 'v'.repeat(43);
export const SECRET = rawSecret('Zr3-kW9_pQx7LmB2vT8sYc');
export const secretMacs = [storedSecretMac(keys, SECRET)];

/** Approved at the start, with its code. */
export const withCode = (change: Partial<Grant> = {}): Grant => {
  const approved = grant(change);
  const { secretHash } = authorizationCodeOf(keys, approved.id);
  return { ...approved, codeHash: secretHash, codeChallenge: sha256(VERIFIER).toString('base64url') };
};
export const codeOf = ({ id }: Grant): string => authorizationCodeOf(keys, id).code;

const NONCE = new Uint8Array(16).fill(7);
/** Its code was exchanged after five seconds. */
export const withChain = (change: Partial<Grant> = {}): Grant =>
  withCode({ refreshGeneration: 0n, refreshNonce: NONCE, lastUsedAt: at(5), chainEndsAt: at(3605), ...change });
export const refreshTokenOf = ({ id }: Grant, change: Partial<RefreshTokenPlace> = {}): string =>
  writeRefreshToken(keys, { grantId: id, generation: 0n, nonce: NONCE, ...change });

const idOf = (commit: GrantCommit): string => {
  if (commit.kind === 'revoke') return commit.revocation.grantId;
  return commit.kind === 'moveHead' ? commit.move.loaded.id : commit.repeat.loaded.id;
};

/** The dependencies of the token endpoints, with a clock that stands still at the given second. */
export function tokenEndpoints(
  clients: readonly Client[],
  stored: readonly Grant[] = [],
  given: {
    readonly configuration?: Configuration;
    readonly claims?: Claims | null;
    readonly second?: number;
    /** Of every end-user. */
    readonly username?: string;
  } = {},
) {
  const clock = { second: given.second ?? 10 };
  const rows = [...stored];
  const done: string[] = [];
  const denied: unknown[] = [];
  const asked: string[] = [];
  const clientOf = (clientId: string) => clients.find((one) => one.clientId === clientId) ?? null;
  const store: GrantStore = {
    load: async ({ clientId, grantId }) => {
      if (typeof grantId !== 'string') throw new Error('asked for a grant without naming it');
      const found = rows.find(({ id }) => id === grantId) ?? null;
      return { now: at(clock.second), client: clientOf(clientId), grant: found, claims: given.claims ?? null };
    },
    loadClient: async (clientId) => ({ now: at(clock.second), client: clientOf(clientId) }),
    commit: async (commit) => {
      const id = idOf(commit);
      const place = rows.findIndex((row) => row.id === id);
      const row = rows[place] ?? grant();
      if (commit.kind === 'revoke') {
        const { reason } = commit.revocation;
        rows[place] = { ...row, state: 'revoked', revokedReason: reason };
        done.push(`revoke: ${reason}`);
      } else if (commit.kind === 'repeatHead') {
        done.push(`repeat ${row.refreshGeneration}`);
      } else {
        const { generation, nonce, now, chainEndsAt } = commit.move;
        rows[place] = { ...row, refreshGeneration: generation, refreshNonce: nonce, lastUsedAt: now, chainEndsAt };
        done.push(`move to ${generation}`);
      }
      return true;
    },
  };
  const jtis = new Map<string, UsedJti>();
  const deps: SentTokenDeps = {
    issuer: ISSUER,
    keys,
    random: systemRandom,
    store,
    keyRing,
    configuration: () => given.configuration ?? configuration(),
    sleep: async () => {},
    usedJtis: {
      load: async (hash) => ({ now: at(clock.second), hash, used: jtis.get(hash) ?? null }),
      commit: async ({ writes: [write] }) => {
        const used = write.kind === 'insert' ? (write.row as UsedJti) : null;
        if (used === null || jtis.has(used.hash)) return false;
        jtis.set(used.hash, used);
        return true;
      },
    },
    publishedKeys: { at: async () => null },
    renewSecretMac: async () => {},
    clientThrottle: { waitSeconds: () => null, count: () => {} },
    endedChains: { find: () => null, remember: () => {} },
    tokenRates: { client: { count: () => null }, address: { count: () => null } },
    usernameOf: async (userId) => {
      asked.push(userId);
      return given.username ?? null;
    },
    deniedAccessTokens: {
      load: async ({ clientId, jti }) => ({
        now: at(clock.second),
        client: clientOf(clientId),
        isDenied: denied.some((denial) => (denial as { jti: string }).jti === jti),
      }),
      deny: async (denial) => void denied.push(denial),
    },
  };
  return { deps, rows, done, denied, clock, /** Users whose names were looked up. */ asked };
}

/** Interactions, with how many were stored. Its time stands still at the given second. */
export function interactionsInMemory(
  clients: readonly Client[],
  given: {
    readonly remembered?: StoredInteraction['remembered'];
    readonly sessions?: readonly Session[];
    readonly second?: number;
    /** Before each load and each commit, which it may fail. */
    readonly meanwhile?: { load?: () => boolean; commit?: () => boolean };
  } = {},
) {
  const clock = { second: given.second ?? 10 };
  /** Where an approval stored its grant alone, the interaction is null. */
  const rows = new Map<string, Pick<StoredInteraction, 'grant'> & { interaction: Interaction | null }>();
  const askedFor: (string | null)[] = [];
  const facts = (clientId: string, userId: string | null) => {
    askedFor.push(userId);
    const client = clients.find((one) => one.clientId === clientId);
    if (!client) throw new Error('unknown client');
    return { now: at(clock.second), client, remembered: userId === null ? null : (given.remembered ?? null) };
  };
  const interactions: InteractionStore = {
    loadRequest: async ({ clientId, sessionIdHash }) => {
      const session = given.sessions?.find(({ idHash }) => sessionIdHash && sameBytes(idHash, sessionIdHash)) ?? null;
      const client = clients.find((one) => one.clientId === clientId) ?? null;
      askedFor.push(session?.userId ?? null);
      return {
        now: at(clock.second),
        client,
        session,
        remembered: session && given.remembered ? [given.remembered] : [],
      };
    },
    load: async ({ id, requested }, userId) => {
      if (given.meanwhile?.load?.()) return null;
      const { interaction: stored, grant } = rows.get(id) ?? { interaction: null, grant: null };
      if (stored) return { ...facts(stored.clientId, userId), interaction: stored, grant, isStored: true };
      if (requested === null) return null;
      const interaction = { ...requested, state: 'awaitingSignIn', userId: null } as const;
      return { ...facts(requested.clientId, userId), interaction, isStored: false, grant };
    },
    commit: async (commit) => {
      if (given.meanwhile?.commit?.()) return false;
      if (commit.kind === 'spend') return true;
      const { loaded, to, userId } = commit.kind === 'move' ? commit.move : commit.approval;
      const made = commit.kind === 'move' ? null : commit.approval;
      const grant = made && {
        id: loaded.id,
        userId: made.session.userId,
        codeHash: made.codeHash,
        codeIsUnused: true,
        codeEndsAt: made.codeEndsAt,
      };
      rows.set(loaded.id, { interaction: made?.grantAlone ? null : { ...loaded, state: to, userId }, grant });
      approvals.push(...(made ? [made] : []));
      return true;
    },
  };
  const approvals: Extract<Parameters<InteractionStore['commit']>[0], { kind: 'approve' }>['approval'][] = [];
  return { rows, askedFor, approvals, interactions, clock };
}

/** No document of a client is stored, and none is fetched. No client registered itself. */
export const noClientDocuments = {
  clientRegistrations: {
    load: async (clientId: string) => ({
      now: new Date(0),
      clientId,
      registration: null,
      client: null,
      version: null,
      othersStored: 0,
    }),
    commit: async () => false,
  },
  clientDocuments: {
    load: async (clientId: string) => ({
      now: new Date(0),
      clientId,
      document: null,
      client: null,
      version: null,
      othersStored: 0,
    }),
    commit: async () => false,
  },
  documentFetches: {
    fetch: async () => ({ kind: 'unreachable', problem: 'The test has no network.' }) as const,
    failureOf: () => null,
  },
  documentRates: { count: () => null },
  newDocumentCounts: { count: () => ({ isBeyond: false, remaining: 1, resetSeconds: 3600 }) },
};

/** The store of a server to which no client pushes. */
export const noPushedRequests: PushedRequestStore = {
  loadFresh: async () => {
    throw new Error('a push');
  },
  load: async () => null,
  commit: async () => false,
};
