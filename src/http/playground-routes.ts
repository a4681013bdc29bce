/** The playground, on the demo data only: an authorization request to click, and what came back. */
import type { FastifyInstance } from 'fastify';
import { html } from 'ghtml';
import { sha256 } from '../crypto/digest.ts';
import type { Random } from '../crypto/random.ts';
import { sendPage } from './security-headers.ts';
import { urlUnder } from './urls.ts';
import { page } from './views/page.ts';

export type PlaygroundDeps = {
  readonly issuer: string;
  readonly random: Random;
  readonly app: { readonly clientId: string; readonly redirectUri: string };
};

export function playgroundRoutes(app: FastifyInstance, { issuer, random, app: client }: PlaygroundDeps): void {
  const verifier = random.bytes(32).toString('base64url');

  app.get('/playground', (_request, reply) => {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: client.clientId,
      redirect_uri: client.redirectUri,
      scope: 'read',
      state: random.bytes(12).toString('base64url'),
      code_challenge: sha256(verifier).toString('base64url'),
      code_challenge_method: 'S256',
    });
    const parameters = [...query].map(([name, value]) => html`<dt>${name}</dt><dd><code>${value}</code></dd>`).join('');
    const body = html`<h1>Playground</h1>
<p>The demo app asks for access with this authorization request. The terminal says who to sign in as.</p>
<dl>!${parameters}</dl>
<p><a href="${`${urlUnder(issuer, '/oauth/authorize')}?${query}`}">Send it</a></p>`;
    return sendPage(reply, 200, page('Playground', body, { wide: true }));
  });

  app.get('/playground/callback', (request, reply) => {
    const answer = new URLSearchParams(request.raw.url?.split('?')[1] ?? '');
    const received = [...answer].map(([name, value]) => html`<dt>${name}</dt><dd><code>${value}</code></dd>`).join('');
    const curl = `curl -d grant_type=authorization_code -d client_id=${client.clientId} -d code=${answer.get('code')} -d code_verifier=${verifier} ${urlUnder(issuer, '/oauth/token')}`;
    const body = html`<h1>Back at the app</h1>
<p>The server answered the demo app with:</p>
<dl>!${received}</dl>
!${answer.has('code') ? html`<p>Exchange the code for tokens within a minute:</p><p><code>${curl}</code></p>` : ''}
<p><a href="${urlUnder(issuer, '/playground')}">Again</a></p>`;
    return sendPage(reply, 200, page('Back at the app', body, { wide: true }));
  });
}
