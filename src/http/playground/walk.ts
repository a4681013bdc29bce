/** A walk through the playground: the data of the demo app, and the last token request. In memory, at most 50 walks. */
import type { Random } from '../../crypto/random.ts';

/** A request of the app itself, and its response. */
export type Exchange = {
  readonly to: '/oauth/par' | '/oauth/token';
  /** The parameters that the app sent, including secrets: in this demo, the viewer plays all parties. */
  readonly sent: Readonly<Record<string, string>>;
  readonly status: number;
  readonly answer: Readonly<Record<string, unknown>>;
};

export type Walk = {
  readonly id: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** Of the pushed request. Null: none was pushed. */
  requestUri: string | null;
  code: string | null;
  /** Oldest first. The last is the newest. */
  readonly refreshTokens: string[];
  accessToken: string | null;
  idToken: string | null;
  /** The parameters of an authorization response without a code. Null: none arrived. */
  refusal: Readonly<Record<string, unknown>> | null;
  last: Exchange | null;
};

const MAX_WALKS = 50;

export function walks(random: Random) {
  const all = new Map<string, Walk>();
  return {
    begin: (): Walk => {
      const [oldest] = all.keys();
      if (all.size >= MAX_WALKS && oldest !== undefined) all.delete(oldest);
      const id = random.uuid();
      const walk: Walk = {
        id,
        state: random.bytes(12).toString('base64url'),
        nonce: random.bytes(12).toString('base64url'),
        verifier: random.bytes(32).toString('base64url'),
        requestUri: null,
        code: null,
        refreshTokens: [],
        accessToken: null,
        idToken: null,
        refusal: null,
        last: null,
      };
      all.set(id, walk);
      return walk;
    },
    find: (id: string): Walk | null => all.get(id) ?? null,
    findByState: (state: string): Walk | null => [...all.values()].find((walk) => walk.state === state) ?? null,
  };
}
