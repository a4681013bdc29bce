/** An app that lives in the browser alone: a page, the bundle of oidc-client-ts, and a button for each action. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

/** From the installed package: the page asks no other network. */
const BUNDLE = readFileSync(
  new URL('dist/browser/oidc-client-ts.min.js', import.meta.resolve('oidc-client-ts/package.json')),
);

const page = (settings: object) => `<!doctype html>
<title>Single-page app</title>
<button id="sign-in">Sign in</button>
<button id="renew">Renew</button>
<button id="frame">Renew in a frame</button>
<button id="revoke">Revoke</button>
<button id="sign-out">Sign out</button>
<output></output>
<script src="/oidc-client-ts.js"></script>
<script>
  const manager = new oidc.UserManager(${JSON.stringify(settings)});
  const show = (result) => { document.querySelector('output').textContent = JSON.stringify(result); };
  const failureOf = (error) => ({ failed: error.error ?? error.message });
  const on = (id, work) => document.getElementById(id).addEventListener('click', () => {
    show(null);
    work().then((result) => show(result ?? { done: id }), (error) => show(failureOf(error)));
  });
  on('sign-in', () => manager.signinRedirect());
  on('renew', () => manager.signinSilent());
  on('frame', async () => {
    await manager.removeUser();
    return manager.signinSilent();
  });
  on('revoke', () => manager.revokeTokens());
  on('sign-out', () => manager.signoutRedirect({ state: 'what the app was doing' }));
  const arrivals = {
    '/callback': () => manager.signinRedirectCallback(),
    '/signed-out': async () => ({ signedOut: await manager.signoutRedirectCallback(), user: await manager.getUser() }),
  };
  arrivals[location.pathname]?.().then(show, (error) => show(failureOf(error)));
</script>`;

/** The answer to a `prompt=none` in a frame. */
const silentPage = (settings: object) => `<!doctype html>
<script src="/oidc-client-ts.js"></script>
<script>new oidc.UserManager(${JSON.stringify(settings)}).signinSilentCallback();</script>`;

export type SinglePageApp = { readonly origin: string; readonly close: () => Promise<void> };

/** On 127.0.0.1, which to a browser is another site than the server's localhost. */
export async function openSinglePageApp(
  port: number,
  issuer: string,
  clientId: string,
  scope = 'openid email offline_access',
): Promise<SinglePageApp> {
  const origin = `http://127.0.0.1:${port}`;
  const settings = {
    authority: issuer,
    client_id: clientId,
    redirect_uri: `${origin}/callback`,
    silent_redirect_uri: `${origin}/silent`,
    post_logout_redirect_uri: `${origin}/signed-out`,
    scope,
    loadUserInfo: true,
    // The test decides when.
    automaticSilentRenew: false,
  };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', origin);
    const [type, body] =
      pathname === '/oidc-client-ts.js'
        ? ['text/javascript', BUNDLE]
        : ['text/html', pathname === '/silent' ? silentPage(settings) : page(settings)];
    response.setHeader('content-type', type).end(body);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return { origin, close: () => new Promise((resolve) => server.close(() => resolve())) };
}
