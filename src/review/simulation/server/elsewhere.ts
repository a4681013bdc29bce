/** An identity provider: a second server with a database of its own, and an account for each actor who signs in there. */
import type { Policy } from '../../../../policies/schema.ts';
import { type Upstream, upstreamsSchema } from '../../../../policies/upstreams-schema.ts';
import type { Database } from '../../../storage/database.ts';
import { Browser } from '../devices/browser.ts';
import type { Actor } from '../scenario.ts';
import type { SetClock } from './clock.ts';
import { PASSWORD, type RegisteredUser, registerClient, registerUser } from './registering.ts';
import { configurationOf, openServer } from './server.ts';

/** @param url to which the browser was sent. @returns path and query of the callback, with the answer. */
export type SignInThere = (actor: Actor, url: string) => Promise<string>;

/** As one scenario finds it. */
export type There = {
  /** Opens it, where that was not done before. */
  readonly open: () => Promise<unknown>;
  readonly signIn: SignInThere;
  /** Of linked identities, by the answer that linked them. */
  readonly linked: Map<string, string>;
};

export type Elsewhere = {
  readonly upstream: Upstream;
  readonly secretNamed: (name: string) => Promise<string | null>;
  /** `fetch`, answered there. */
  readonly upstreamFetch: (url: string, init: RequestInit) => Promise<Response>;
  /** For one scenario: the accounts are new. */
  readonly accounts: () => SignInThere;
  readonly close: () => Promise<void>;
};

const ISSUER = 'https://elsewhere.example';
const SECRET_NAME = 'ELSEWHERE_SECRET';
export const PROVIDER = 'elsewhere';

type Opening = {
  readonly database: () => Promise<Database>;
  readonly clock: SetClock;
  readonly policy: Policy;
  /** To which browsers come back. */
  readonly issuer: string;
};

export async function openElsewhere({ database, clock, policy, issuer }: Opening): Promise<Elsewhere> {
  // An answer may be under way for some minutes.
  const configuration = configurationOf(ISSUER, { policy: { ...policy, authorizationCodeLifetimeSeconds: 600 } });
  const server = await openServer({
    issuer: ISSUER,
    database: await database(),
    clock,
    configuration: () => configuration,
  });
  const client = await registerClient(server, {
    redirectUris: [`${issuer}/sign-in/upstream/${PROVIDER}/callback`],
    idTokenSignedResponseAlg: 'ES256',
  });
  const [upstream] = upstreamsSchema.parse({
    upstreams: [
      {
        name: PROVIDER,
        label: 'Elsewhere',
        issuer: ISSUER,
        client_id: client.clientId,
        client_secret_environment: SECRET_NAME,
        id_token_signed_response_alg: 'ES256',
      },
    ],
  }).upstreams;
  if (!upstream) throw new Error('There is no provider.');
  return {
    upstream,
    secretNamed: async (name) => (name === SECRET_NAME ? (client.secret ?? null) : null),
    upstreamFetch: async (url, init) => {
      const { statusCode, body, headers } = await server.app.inject({
        method: init.method === 'POST' ? 'POST' : 'GET',
        url: pathOf(url),
        headers: Object.fromEntries(new Headers(init.headers)),
        ...(init.body && { payload: String(init.body) }),
      });
      const sent = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
      return new Response(body, { status: statusCode, headers: sent });
    },
    accounts: () => {
      const users = new Map<Actor['name'], RegisteredUser>();
      return async ({ name }, url) => {
        const user = users.get(name) ?? (await registerUser(server));
        users.set(name, user);
        const browser = new Browser(server.app);
        let page = await browser.get(pathOf(url));
        page = await browser.submit(page, { username: user.username, password: PASSWORD });
        if (page.body.includes('name="decision"')) page = await browser.submit(page, { decision: 'approve' });
        return pathOf(page.url);
      };
    },
    close: server.close,
  };
}

/** Path and query. */
const pathOf = (url: string): string => url.slice(new URL(url).origin.length);
