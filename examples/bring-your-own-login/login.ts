/**
 * The team's own login: it signs people in as it always did, and tells Statehouse who they are. Plain Node, no framework.
 *
 * Environment: ISSUER (of Statehouse), CLIENT_ID and CLIENT_SECRET (a client with the scope sign-ins:answer), PORT.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

const { ISSUER = 'http://localhost:3000', CLIENT_ID = '', CLIENT_SECRET = '', PORT = '4000' } = process.env;
const API = `${ISSUER}/management/v1`;

/** The users of your own database. A real one stores password hashes. */
const PEOPLE: ReadonlyMap<string, string> = new Map([['ada', 'an analytical engine']]);

/** A token for the management API, by client credentials. */
async function accessToken(): Promise<string> {
  const response = await fetch(`${ISSUER}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'sign-ins:answer', resource: API }),
  });
  const { access_token: token } = (await response.json()) as { access_token?: string };
  if (token === undefined) throw new Error(`Statehouse gave no token: ${response.status}`);
  return token;
}

async function ask(method: 'GET' | 'PUT', reference: string, answer?: object): Promise<Record<string, unknown>> {
  const path = `${API}/sign-ins/${encodeURIComponent(reference)}${answer ? '/answer' : ''}`;
  const response = await fetch(path, {
    method,
    headers: { authorization: `Bearer ${await accessToken()}`, 'content-type': 'application/json' },
    ...(answer && { body: JSON.stringify(answer) }),
  });
  const body = (await response.json()) as Record<string, unknown>;
  if (!response.ok) throw new Error(`Statehouse refused: ${body['title']}. ${body['detail']}`);
  return body;
}

const escaped = (text: unknown): string => String(text ?? '').replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);

function page(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
  response.end(`<!doctype html><html lang="en"><title>Our login</title><main>${body}</main></html>`);
}

/** The reference is in the form: the browser brings it back, and Statehouse knows which browser that has to be. */
const form = (reference: string, client: string, hint: unknown, problem = ''): string => `<h1>Our login</h1>
<p>to continue to ${escaped(client)}</p>
<p>${escaped(problem)}</p>
<form method="post" action="/sign-in">
<input type="hidden" name="reference" value="${escaped(reference)}">
<label>Name <input name="username" value="${escaped(hint)}"></label>
<label>Password <input type="password" name="password"></label>
<button name="decision" value="sign-in">Sign in</button>
<button name="decision" value="cancel">Cancel</button>
</form>`;

async function fieldsOf(request: IncomingMessage): Promise<URLSearchParams> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return new URLSearchParams(body);
}

async function showForm(response: ServerResponse, reference: string, problem = ''): Promise<void> {
  const { client, login_hint: hint } = await ask('GET', reference);
  const name = (client as { client_name?: string } | null)?.client_name ?? 'your account';
  page(response, problem === '' ? 200 : 400, form(reference, name, hint, problem));
}

async function signIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const fields = await fieldsOf(request);
  const reference = fields.get('reference') ?? '';
  const username = fields.get('username') ?? '';
  const cancels = fields.get('decision') === 'cancel';
  if (!cancels && (username === '' || PEOPLE.get(username) !== fields.get('password'))) {
    return showForm(response, reference, 'Name or password is not right.');
  }
  const answer = cancels
    ? { denied: 'access_denied' }
    : { username, amr: ['pwd'], auth_time: Math.floor(Date.now() / 1000) };
  const { return_to: returnTo } = await ask('PUT', reference, answer);
  response.writeHead(303, { location: String(returnTo) }).end();
}

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://here');
  const work =
    request.method === 'POST' && pathname === '/sign-in'
      ? signIn(request, response)
      : showForm(response, searchParams.get('reference') ?? '');
  work.catch((error: Error) => page(response, 502, `<h1>That did not work</h1><p>${escaped(error.message)}</p>`));
});
server.listen(Number(PORT), () => process.stdout.write(`Our login is at http://localhost:${PORT}/\n`));
