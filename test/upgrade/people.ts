/** End-users at one node or the other, with one browser. */
import { authorizeUrl, goThrough, type Pkce, type TestClient, type TestUser } from '../support/actors.ts';
import { RemoteBrowser } from '../support/remote-browser.ts';
import type { Node } from './server-process.ts';

const SCOPE = 'openid read';

export type Person = { readonly user: TestUser; readonly browser: RemoteBrowser };

/** @param before where this browser has been: its cookies come along. */
export function personAt(node: Pick<Node, 'url'>, user: TestUser, before?: Person): Person {
  const browser = new RemoteBrowser(node.url);
  for (const [name, value] of before?.browser.cookies ?? []) browser.cookies.set(name, value);
  return { user, browser };
}

/** @returns a code. @throws Error with the last page, when none came back. */
export async function authorize({ browser, user }: Person, client: TestClient, pkce: Pkce): Promise<string> {
  const { url, status, body } = await goThrough(browser, authorizeUrl(client, pkce, { scope: SCOPE }), user);
  const code = URL.canParse(url) ? new URL(url).searchParams.get('code') : null;
  if (code === null) throw new Error(`no code came back: ${status} ${url}\n${body.slice(0, 2000)}`);
  return code;
}

/** Without a page (`prompt=none`): whether this browser has a session there. @returns the error, null with a code. */
export async function silently({ browser }: Person, client: TestClient, pkce: Pkce): Promise<string | null> {
  const { url } = await browser.get(authorizeUrl(client, pkce, { scope: SCOPE, prompt: 'none' }));
  return new URL(url).searchParams.get('error');
}

/** Ends the session of this browser. */
export async function signOut({ browser }: Person): Promise<void> {
  await browser.submit(await browser.get('/oauth/logout'), { decision: 'approve' });
}
