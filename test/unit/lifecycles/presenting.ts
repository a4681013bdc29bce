/** Presents a code or a refresh token over the fake store, and records the commits. */
import { authorizationCodeRequest, type PresentedCode } from '../../../src/lifecycles/authorization-code/lifecycle.ts';
import type { GrantPorts, LoadedGrant } from '../../../src/lifecycles/grant/lifecycle.ts';
import {
  type LoadedPresentation,
  type Outcome,
  type PresentationFacts,
  type PresentationPolicy,
  type PresentationRequest,
  present,
} from '../../../src/lifecycles/presentation.ts';
import {
  type PresentedRefreshToken,
  type PresentedToken,
  refreshTokenRequest,
} from '../../../src/lifecycles/refresh-token/lifecycle.ts';
import type { AccessToday, ChainPlace, Grant } from '../../../src/model/grant.ts';
import type { Lifetimes } from '../../../src/model/lifetimes.ts';
import { NO_PROOF } from '../../../src/model/proof.ts';
import { type FakeStore, fakeGrantStore } from './fake-grant-store.ts';
import { CHALLENGE, CLIENT, LIFETIMES, NONCE, NOW } from './given.ts';

/** The content of the next refresh token, as a caller would see it. */
export type Minted = { readonly generation: bigint | null; readonly nonce: Uint8Array | null };

export type Bench = {
  readonly store: FakeStore;
  readonly ports: GrantPorts;
  readonly policy: PresentationPolicy<Minted>;
  /** How long the engine waited, in milliseconds; a test does not wait. */
  readonly waits: number[];
  readonly minted: Minted[];
  readonly presentCode: (facts?: Partial<PresentedCode>) => Promise<Outcome<Minted>>;
  readonly presentToken: (place?: PresentedToken, facts?: Partial<PresentedRefreshToken>) => Promise<Outcome<Minted>>;
  readonly ask: <Facts extends PresentationFacts>(
    request: PresentationRequest<Facts, Minted>,
  ) => Promise<Outcome<Minted>>;
};

export function bench(
  row: Grant,
  options: {
    readonly mint?: () => void;
    readonly today?: Partial<AccessToday>;
    readonly lifetimes?: Lifetimes;
  } = {},
): Bench {
  const store = fakeGrantStore(row, CLIENT, NOW);
  const waits: number[] = [];
  const minted: Minted[] = [];
  let drawn = 100;
  const nonce = () => new Uint8Array(16).fill(drawn++);
  const ports: GrantPorts = {
    store,
    sleep: async (milliseconds) => {
      waits.push(milliseconds);
    },
  };
  const mint = ({ refreshGeneration, refreshNonce }: Grant): Minted => {
    options.mint?.();
    const one = { generation: refreshGeneration, nonce: refreshNonce };
    minted.push(one);
    return one;
  };
  const policy = {
    lifetimesOf: () => options.lifetimes ?? LIFETIMES,
    accessToday: ({ scope, resources }: Grant): AccessToday => ({
      scope,
      resources,
      mayRefresh: true,
      ...options.today,
    }),
    mint,
  };
  const code: PresentedCode = {
    clientId: CLIENT.clientId,
    redirectUri: null,
    challengeOfVerifier: CHALLENGE,
    proof: NO_PROOF,
    resources: null,
  };
  const token: PresentedRefreshToken = {
    clientId: CLIENT.clientId,
    proof: NO_PROOF,
    clientProvesKey: false,
    scope: null,
    resources: null,
  };
  const head: ChainPlace = { generation: 0n, nonce: NONCE };
  const ask: Bench['ask'] = async (request) =>
    present(ports, request, loaded(await store.load({ clientId: CLIENT.clientId, grantId: store.row.id })));
  return {
    store,
    ports,
    policy,
    waits,
    minted,
    ask,
    presentCode: (facts = {}) => ask(authorizationCodeRequest({ ...code, ...facts }, policy, nonce())),
    presentToken: (place = head, facts = {}) =>
      ask(refreshTokenRequest(place, { ...token, ...facts }, policy, nonce())),
  };
}

function loaded({ now, client, grant }: LoadedGrant): LoadedPresentation {
  if (!client || !grant) throw new Error('the fake store always has both');
  return { now, client, grant, claims: null };
}
