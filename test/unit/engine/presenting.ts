/** Presents a code or a refresh token to the engine over the fake store, and keeps what it did. */
import { presentAuthorizationCode, presentRefreshToken } from '../../../src/engine/engine.ts';
import type { Outcome } from '../../../src/engine/outcome.ts';
import type { Loaded } from '../../../src/engine/ports.ts';
import type { EngineDeps } from '../../../src/engine/present.ts';
import type { TokenClient } from '../../../src/model/client.ts';
import type { Grant } from '../../../src/model/grant.ts';
import { type FakeStore, fakeGrantStore } from './fake-grant-store.ts';
import { CHALLENGE, CLIENT, LIFETIMES, NONCE, NOW } from './given.ts';

/** What the next refresh token says, as a caller would see it. */
export type Minted = { readonly generation: bigint | null; readonly nonce: Uint8Array | null };

export type Bench = {
  readonly store: FakeStore;
  readonly deps: EngineDeps;
  /** How long the engine waited, in milliseconds; nobody waits in a test. */
  readonly waits: number[];
  readonly minted: Minted[];
  readonly presentCode: (facts?: Partial<CodeFacts>) => Promise<Outcome<Minted>>;
  readonly presentToken: (place?: Place, facts?: Partial<TokenFacts>) => Promise<Outcome<Minted>>;
};

type CodeFacts = Parameters<typeof presentAuthorizationCode>[2];
type TokenFacts = Parameters<typeof presentRefreshToken>[3];
type Place = Parameters<typeof presentRefreshToken>[2];

export function bench(row: Grant, options: { readonly mint?: () => void } = {}): Bench {
  const store = fakeGrantStore(row, CLIENT, NOW);
  const waits: number[] = [];
  const minted: Minted[] = [];
  let drawn = 100;
  const deps: EngineDeps = {
    store,
    random: (size) => new Uint8Array(size).fill(drawn++),
    lifetimesOf: () => LIFETIMES,
    sleep: async (milliseconds) => {
      waits.push(milliseconds);
    },
  };
  const reload = () => store.load({ clientId: CLIENT.clientId, grantId: store.row.id });
  const mint = ({ refreshGeneration: generation, refreshNonce: nonce }: Grant): Minted => {
    options.mint?.();
    minted.push({ generation, nonce });
    return { generation, nonce };
  };
  const ways = { reload, mint };
  const codeFacts: CodeFacts = {
    clientId: CLIENT.clientId,
    redirectUri: null,
    challengeOfVerifier: CHALLENGE,
    resources: null,
  };
  const tokenFacts: TokenFacts = { clientId: CLIENT.clientId, scope: null, resources: null };
  const head: Place = { generation: 0n, nonce: NONCE };
  return {
    store,
    deps,
    waits,
    minted,
    presentCode: async (facts = {}) =>
      presentAuthorizationCode(deps, present(await reload()), { ...codeFacts, ...facts }, ways),
    presentToken: async (place = head, facts = {}) =>
      presentRefreshToken(deps, present(await reload()), place, { ...tokenFacts, ...facts }, ways),
  };
}

function present({ now, client, grant }: Loaded): Loaded & { client: TokenClient; grant: Grant } {
  if (!client || !grant) throw new Error('the fake store always has both');
  return { now, client, grant };
}
