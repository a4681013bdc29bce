/** Asks the server whether a token is active (RFC 7662). Without an answer, the guard lets no caller in. */
import type { Discovery } from './discovery.ts';
import { type AskForJson, objectOf } from './json-request.ts';

export type IntrospectionAnswer =
  /** `scopes`: the scopes of this API that the server still confirms. */
  | { readonly kind: 'active'; readonly scopes: readonly string[] }
  | { readonly kind: 'inactive' }
  | { readonly kind: 'unavailable'; readonly detail: string };

export type Introspection = {
  /** @param id the `jti` of the token, whose signature was checked before. */
  readonly ask: (token: string, id: string) => Promise<IntrospectionAnswer>;
};

export type ClientAuthentication = 'client_secret_basic' | 'client_secret_post';

export type IntrospectionRules = {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly authentication: ClientAuthentication;
  readonly timeoutMilliseconds: number;
  /** 0: every request asks. */
  readonly cacheSeconds: number;
};

type Sent = { readonly headers: Readonly<Record<string, string>>; readonly fields: Readonly<Record<string, string>> };

/** RFC 6749 §2.3.1: both are form-encoded before they become user and password. */
const formEncoded = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);

const AUTHENTICATE: Readonly<Record<ClientAuthentication, (rules: IntrospectionRules) => Sent>> = {
  client_secret_basic: ({ clientId, clientSecret }) => {
    const pair = `${formEncoded(clientId)}:${formEncoded(clientSecret)}`;
    return { headers: { authorization: `Basic ${btoa(pair)}` }, fields: {} };
  },
  client_secret_post: ({ clientId, clientSecret }) => ({
    headers: {},
    fields: { client_id: clientId, client_secret: clientSecret },
  }),
};

const MAX_REMEMBERED = 10_000;

/** @param now milliseconds since 1970. */
export function introspection(
  ask: AskForJson,
  endpoints: Discovery,
  rules: IntrospectionRules,
  now: () => number,
): Introspection {
  const { headers, fields } = AUTHENTICATE[rules.authentication](rules);
  /** By `jti`, the oldest first. */
  const remembered = new Map<string, { readonly answer: IntrospectionAnswer; readonly at: number }>();

  const recall = (id: string): IntrospectionAnswer | null => {
    const known = remembered.get(id);
    if (known === undefined) return null;
    const elapsed = now() - known.at;
    if (elapsed >= 0 && elapsed < rules.cacheSeconds * 1000) return known.answer;
    remembered.delete(id);
    return null;
  };

  const remember = (id: string, answer: IntrospectionAnswer, at: number): void => {
    if (rules.cacheSeconds === 0 || answer.kind === 'unavailable') return;
    remembered.delete(id);
    remembered.set(id, { answer, at });
    const [oldest] = remembered.keys();
    if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
  };

  const askServer = async (token: string): Promise<IntrospectionAnswer> => {
    const endpoint = await endpoints.known('introspection_endpoint');
    if (endpoint.kind === 'failed') return { kind: 'unavailable', detail: endpoint.detail };
    const answer = await ask(
      {
        url: endpoint.url,
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams({ ...fields, token, token_type_hint: 'access_token' }).toString(),
      },
      rules.timeoutMilliseconds,
    );
    if (answer.kind === 'failed') return { kind: 'unavailable', detail: answer.detail };
    return read(answer.value) ?? { kind: 'unavailable', detail: `POST ${endpoint.url}: answered no introspection` };
  };

  return {
    ask: async (token, id) => {
      const known = recall(id);
      if (known !== null) return known;
      // The time of the question, so that a slow answer is kept no longer.
      const at = now();
      const answer = await askServer(token);
      remember(id, answer, at);
      return answer;
    },
  };
}

/** @returns null for any value but an introspection response (RFC 7662 §2.2). */
function read(value: unknown): IntrospectionAnswer | null {
  const { active, scope } = objectOf(value) ?? {};
  if (active === false) return { kind: 'inactive' };
  if (active !== true) return null;
  return { kind: 'active', scopes: typeof scope === 'string' ? scope.split(' ') : [] };
}
