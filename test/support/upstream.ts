/** A server under test whose end-users may sign in at another server, which is a Statehouse too. */
import type { SignInPolicy } from '../../policies/schema.ts';
import { type Upstream, upstreamsSchema } from '../../policies/upstreams-schema.ts';
import type { Configuration } from '../../src/config/configuration.ts';
import { authorizeUrl, goThrough, makeClient, makePkce, makeUser, type TestUser } from './actors.ts';
import { ISSUER, shippedConfiguration, type TestApp, type TestAppOptions } from './app.ts';
import { type Answer, Browser, formOf } from './browser.ts';
import { testClock } from './clock.ts';
import { anyDatabase, openTestDatabase } from './database.ts';
import { listen } from './listening.ts';
import { openScene, type Scene } from './scene.ts';

export const CALLBACK = `${ISSUER}/sign-in/upstream/company/callback`;

/** As upstreams.yaml says it, with its defaults. */
export function upstreamOf(change: Readonly<Record<string, unknown>>): Upstream {
  const said = { name: 'company', label: 'Company', client_secret_environment: 'COMPANY_SECRET', createUsers: true };
  const [upstream] = upstreamsSchema.parse({ upstreams: [{ ...said, ...change }] }).upstreams;
  if (!upstream) throw new Error('no upstream');
  return upstream;
}

export const withUpstream = (upstream: Upstream): Configuration => ({
  ...shippedConfiguration,
  upstreams: [upstream],
});

/** The app knows the secret, and nothing else of the environment. */
export const knowing =
  (secret: string): NonNullable<TestAppOptions['secretNamed']> =>
  async (name) =>
    name === 'COMPANY_SECRET' ? secret : null;

/** The sign-in page that an authorization request leads to. */
export const signInPage = (
  browser: Browser,
  client: Scene['client'],
  change: Readonly<Record<string, string | undefined>> = {},
): Promise<Answer> =>
  browser.get(authorizeUrl(client, makePkce(), { scope: 'read openid', resource: undefined, ...change }));

/** Presses the button. @returns the answer: usually the redirect to the identity provider. */
export function pressButton(browser: Browser, page: Answer, provider = 'upstream:company'): Promise<Answer> {
  const { fields } = formOf(page.body);
  const action = /action="([^"]*\/external[^"]*)"/.exec(page.body)?.[1]?.replaceAll('&#61;', '=');
  if (action === undefined) throw new Error(`no button on the page: ${page.status} ${page.url}`);
  return browser.post(action, { ...fields, provider });
}

/** Path and query, for the browser-like client. */
export const pathOf = (url: string): string => url.slice(new URL(url).origin.length);

export type TwoServers = {
  readonly upstream: TestApp;
  /** Of the upstream. */
  readonly ada: TestUser;
  readonly scene: Scene;
  readonly clientSecret: string;
  /** Signs in at the upstream. @param url that the browser was sent to. @returns path and query of the callback. */
  readonly signInThere: (url: string, browser?: Browser, user?: TestUser) => Promise<string>;
  readonly close: () => Promise<void>;
};

/** @param change of the entry in upstreams.yaml. */
export async function openTwoServers(
  change: Readonly<Record<string, unknown>> = {},
  options: TestAppOptions = {},
  signIn: Partial<SignInPolicy> = {},
): Promise<TwoServers> {
  const clock = testClock(new Date());
  const database = await openTestDatabase(anyDatabase);
  const upstream = await listen(database.database, { clock });
  const ada = await makeUser(upstream, 'ada', { name: 'Ada Lovelace', email: 'ada@example.com', email_verified: true });
  const client = await makeClient(upstream, { redirectUris: [CALLBACK] });
  const clientSecret = client.secret ?? '';
  const said = upstreamOf({ issuer: upstream.issuer, client_id: client.clientId, ...change });
  const configuration = withUpstream(said);
  const scene = await openScene(anyDatabase, {
    configuration: { ...configuration, signIn: { ...configuration.signIn, ...signIn } },
    clock,
    secretNamed: knowing(clientSecret),
    ...options,
  });
  return {
    upstream,
    ada,
    scene,
    clientSecret,
    signInThere: async (url, browser = new Browser(upstream.app), user = ada) => {
      const { url: back, body, status } = await goThrough(browser, pathOf(url), user);
      if (!URL.canParse(back)) throw new Error(`${status} ${back.slice(0, 80)} ${body.replace(/[\s\S]*<main/, '')}`);
      return pathOf(back);
    },
    close: async () => {
      await scene.close();
      await upstream.app.close();
      await database.close();
    },
  };
}
