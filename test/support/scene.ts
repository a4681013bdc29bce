/** The common start of most tests: the app on a fresh database, two clients, and an end-user with a browser. */
import {
  authorizeUrl,
  exchange,
  goThrough,
  makeClient,
  makePkce,
  makeUser,
  type Pkce,
  type TestClient,
  type TestUser,
} from './actors.ts';
import { openTestApp, type TestApp, type TestAppOptions } from './app.ts';
import { Browser } from './browser.ts';
import { type DatabaseKind, openTestDatabase, type TestDatabase } from './database.ts';

export type Code = { readonly code: string; readonly verifier: string };
export type CodeRequest = {
  readonly client?: TestClient;
  readonly pkce?: Pkce;
  /** Parameters of the authorization request. */
  readonly change?: Readonly<Record<string, string | undefined>>;
};

export type Scene = TestApp & {
  /** Confidential. */
  readonly client: TestClient;
  /** Another confidential client. */
  readonly other: TestClient;
  readonly user: TestUser;
  /** The user's browser; signs in when it must, which is once per session. */
  readonly browser: Browser;
  /** For further connections; null on the embedded database. */
  readonly url: string | null;
  readonly code: (request?: CodeRequest) => Promise<Code>;
  /** The first refresh token of a fresh chain. */
  readonly chain: (request?: CodeRequest) => Promise<string>;
  readonly close: () => Promise<void>;
};

export async function openScene(kind: DatabaseKind, options: TestAppOptions = {}): Promise<Scene> {
  return openSceneOn(await openTestDatabase(kind), options);
}

export async function openSceneOn(opened: TestDatabase, options: TestAppOptions = {}): Promise<Scene> {
  const test = await openTestApp(opened.database, options);
  const [client, other, user] = [await makeClient(test), await makeClient(test), await makeUser(test)];
  const browser = new Browser(test.app);

  const code = async ({ client: by = client, pkce = makePkce(), change = {} }: CodeRequest = {}) => {
    const { url } = await goThrough(browser, authorizeUrl(by, pkce, change), user);
    const answer = URL.canParse(url) ? new URL(url).searchParams.get('code') : null;
    if (answer === null) throw new Error(`no code came back: ${url}`);
    return { code: answer, verifier: pkce.verifier };
  };
  const chain = async (request: CodeRequest = {}) => {
    const { json } = await exchange(test, request.client ?? client, await code(request));
    if (!json.refresh_token) throw new Error(`no refresh token came back: ${json.error}`);
    return json.refresh_token;
  };
  const close = async () => {
    await test.app.close();
    await opened.close();
  };
  return { ...test, client, other, user, browser, url: opened.url, code, chain, close };
}
