/** The management API as docs/authorization-matrix.md has it: operation × scope × role, and rows below another parent. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OperatorsFile } from '../../../policies/operators-schema.ts';
import { delegatedSignInSchema } from '../../../policies/upstreams-schema.ts';
import { MANAGEMENT_SCOPE_NAMES } from '../../../src/config/management-resource.ts';
import { authorizeUrl, exchange, goThrough, makeClient, makePkce, makeUser } from '../../support/actors.ts';
import { Browser } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { keptMails } from '../../support/mails.ts';
import { API, BOT, makeBot, tokenOf, withBot } from '../../support/management.ts';
import { registeredPasskey } from '../../support/registered-passkey.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { trustedBrowser } from '../../support/trusted-browser.ts';
import { webhooksFile } from '../../support/webhooks.ts';
import { type Asked, askedBy, NONE, type Row, rowsWith } from './matrix.ts';
import { freshRows } from './rows.ts';

const SECTION = 'Management API';
const LOST = 'no-entry';
const PEOPLE = ['olga', 'ada', 'fay'] as const;

let scene: Scene;
let operators: OperatorsFile;
/** Access tokens with every scope, issued while all three were operators. */
const tokens = { operator: '', auditor: '', former: '' };
beforeAll(async () => {
  const given = withBot();
  operators = { ...given.operators, operators: [...PEOPLE], auditors: [] };
  scene = await openScene(anyDatabase, {
    configuration: {
      ...given,
      signIn: { ...given.signIn, signUp: 'invitation', trustedBrowserLifetimeSeconds: 86_400 },
      delegatedSignIn: delegatedSignInSchema.parse({ url: 'https://login.example.com/' }),
      webhooks: webhooksFile([{ name: 'crm', url: 'https://crm.example.com/hooks' }]),
    },
    operators: () => operators,
    mail: keptMails(),
  });
  await makeBot(scene);
  await makeClient(scene, { clientId: LOST, grantTypes: ['client_credentials'], redirectUris: [] });
  const client = await makeClient(scene, { scope: MANAGEMENT_SCOPE_NAMES });
  const [olga, ada, fay] = await Promise.all(
    PEOPLE.map(async (username) => {
      const user = await makeUser(scene, username, { email: `${username}@example.com`, email_verified: true });
      const pkce = makePkce();
      const asked = { scope: MANAGEMENT_SCOPE_NAMES.join(' '), resource: API };
      const { url } = await goThrough(new Browser(scene.app), authorizeUrl(client, pkce, asked), user);
      const code = new URL(url).searchParams.get('code') ?? '';
      return String((await exchange(scene, client, { code, verifier: pkce.verifier })).json.access_token);
    }),
  );
  Object.assign(tokens, { operator: olga, auditor: ada, former: fay });
  operators = { ...given.operators, operators: ['olga'], auditors: ['ada'] };
});
afterAll(() => scene.close());

const send = ({ method, path }: Asked, token: string | null, { body, headers }: Prepared = {}) =>
  scene.app.inject({
    method,
    url: `/management/v1${path === '/' ? '' : path}`,
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && {
        'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      }),
      ...headers,
    },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
  });
const asBot = (scope: readonly string[], change: object = {}) => tokenOf(scene, scope, change);
const everything = () => asBot(MANAGEMENT_SCOPE_NAMES);
type Prepared = { readonly body?: object; readonly headers?: Readonly<Record<string, string>> };
type Values = Readonly<Record<string, string>>;

let serial = 0;
const rows = () => freshRows(scene);

/** A fresh row for each parameter, which the path names. */
const VALUES: readonly (readonly [pattern: RegExp, values: () => Promise<Values>])[] = [
  [
    /secret_id/,
    async () => {
      const client_id = await rows().client();
      return { client_id, secret_id: await rows().secret(client_id) };
    },
  ],
  [/secret_name/, async () => ({ secret_name: await rows().configuredSecret() })],
  [/client_id/, async () => ({ client_id: await rows().client() })],
  [
    /identity_id/,
    async () => {
      const sub = await rows().user();
      return { sub, identity_id: await rows().identity(sub) };
    },
  ],
  [
    /passkey_id/,
    async () => {
      const user = await makeUser(scene);
      return { sub: user.id, passkey_id: (await registeredPasskey(scene, user)).id };
    },
  ],
  [
    /trust_id/,
    async () => {
      const user = await makeUser(scene);
      return { sub: user.id, trust_id: await trustedBrowser(scene, user) };
    },
  ],
  [/mailed-links/, async () => ({ sub: await rows().addressed() })],
  [/sub/, async () => ({ sub: await rows().user() })],
  [/invitation_id/, async () => ({ invitation_id: await rows().invitation() })],
  [/grant_id/, async () => ({ grant_id: (await rows().grant()).id })],
  [/sid/, async () => ({ sid: await rows().session() })],
  [/reference/, async () => ({ reference: await rows().signIn() })],
  [/kid/, async () => ({ kid: await rows().signingKey() })],
  [/alg/, async () => ({ alg: 'ES256' })],
  [/delivery_id/, async () => ({ delivery_id: await rows().delivery() })],
  [/receiver/, async () => ({ receiver: 'crm' })],
  [/file/, async () => ({ file: 'default.policy.yaml' })],
  [/machines.*name/, async () => ({ name: 'grant' })],
  [/name/, async () => ({ name: 'default' })],
  [/mails.*kind/, async () => ({ kind: 'sign_up' })],
  [/reason/, async () => ({ reason: 'not_found' })],
];

/** The parameters of an operation besides its address. */
const PREPARED: Readonly<Record<string, (values: Values) => Promise<Prepared> | Prepared>> = {
  'POST /clients': () => ({ body: { client_name: 'Shop', redirect_uris: ['https://shop.example/cb'] } }),
  'PUT /clients/{client_id}': () => ({
    body: { client_name: 'Shop', redirect_uris: ['https://shop.example/cb'] },
    headers: { 'if-match': '*' },
  }),
  'PATCH /clients/{client_id}': () => ({ body: { client_name: 'Shop' }, headers: { 'if-match': '*' } }),
  'POST /clients/{client_id}/secrets': () => ({ body: {} }),
  'POST /users': () => ({ body: { username: `made-${++serial}`, password: 'a password for the user' } }),
  'PUT /users/{sub}': () => ({ body: { username: `put-${++serial}` }, headers: { 'if-match': '*' } }),
  'PATCH /users/{sub}': () => ({ body: { claims: { name: 'Ada' } }, headers: { 'if-match': '*' } }),
  'POST /user-imports': () => ({
    body: { records: [{ username: `moved-${++serial}`, without_password: true }] },
  }),
  'POST /invitations': () => ({ body: { email: `guest-${++serial}@example.com` } }),
  'POST /batches': async () => ({
    body: { operations: [{ method: 'DELETE', path: '/users/nothing' }] },
  }),
  'POST /backtests': () => ({ body: { file: 'default.policy.yaml', yaml: 'accessTokenLifetimeSeconds: 900' } }),
  'POST /ledger-verifications': () => ({ body: {} }),
  'POST /explanations': async () => ({ body: { credential: (await rows().grant()).refreshToken } }),
  'PUT /sign-ins/{reference}/answer': async () => ({
    body: { sub: await rows().user(), amr: ['pwd'], auth_time: Math.floor(scene.clock.now().getTime() / 1000) },
  }),
  'POST /signing-keys/{alg}/rotations': () => ({ body: { at_once: true } }),
  'POST /webhook-receivers/{receiver}/tests': () => ({ body: {} }),
  'POST /webhook-deliveries/{delivery_id}/repetitions': () => ({ body: {} }),
  'POST /mails/{kind}/tests': () => ({ body: {} }),
  'PUT /secrets/{secret_name}': () => ({ body: { value: 'another secret' } }),
};

type Request = Asked & Prepared & { readonly values: Values };

async function prepared(address: string): Promise<Request> {
  const { method, path } = askedBy(address);
  const values = path.includes('{') ? await (VALUES.find(([pattern]) => pattern.test(path))?.[1]() ?? {}) : {};
  return { method, path: filled(path, values), values, ...(await PREPARED[address]?.(values)) };
}
const filled = (path: string, values: Values): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? `no ${name}`);

const statusOf = async (request: Request, token: string | null): Promise<number> =>
  (await send(request, token, request)).statusCode;

describe('the management API', () => {
  const ofAllCallers = [...rowsWith(SECTION, 'other parent'), ...rowsWith(SECTION, 'client')];
  it.each(ofAllCallers.map((row): [string, Row] => [row['operation'] ?? '', row]))(
    '%s answers each caller as the matrix says',
    async (address, row) => {
      const scope = row['scope'] ?? '';
      expect(MANAGEMENT_SCOPE_NAMES).toContain(scope);
      const others = MANAGEMENT_SCOPE_NAMES.filter((name) => name !== scope);
      let request = await prepared(address);
      const refusals = {
        'without a token': null,
        'with a token for another API': asBot([scope], { aud: 'https://api.example.com' }),
        'with every other scope': asBot(others),
        'as a client without an entry': asBot([scope], { sub: LOST, client_id: LOST }),
        'as a former operator': tokens.former,
      };
      const refused = Object.fromEntries(
        await Promise.all(
          Object.entries(refusals).map(async ([caller, token]) => [caller, await statusOf(request, token)] as const),
        ),
      );
      expect(refused).toEqual({
        'without a token': 401,
        'with a token for another API': 401,
        'with every other scope': 403,
        'as a client without an entry': 403,
        'as a former operator': 403,
      });
      if (request.method === 'GET') {
        const head = await scene.app.inject({ method: 'HEAD', url: `/management/v1${request.path}` });
        expect(head.statusCode).toBe(401);
      }
      const allowed = Number(row['operator']);
      const auditor = Number(row['auditor']);
      // The rejected requests changed no row: the named row is still found, changed or removed now.
      if (auditor === 403) expect(await statusOf(request, tokens.auditor)).toBe(403);
      await expectBelowAnotherParent(address, request, row['other parent'] ?? NONE);
      const answer = await send(request, tokens.operator, request);
      expect(answer.statusCode, answer.body).toBe(allowed);
      if (request.method !== 'GET') request = await prepared(address);
      expect(await statusOf(request, asBot([scope]))).toBe(Number(row['client'] ?? allowed));
      if (auditor !== 403) expect(await statusOf(request, tokens.auditor)).toBe(auditor);
    },
  );

  async function expectBelowAnotherParent(address: string, request: Request, cell: string): Promise<void> {
    if (cell === NONE) return;
    const { path } = askedBy(address);
    const other = path.includes('{sub}') ? { sub: await rows().user() } : { client_id: await rows().client() };
    const there = { ...request, path: filled(path, { ...request.values, ...other }) };
    expect(await statusOf(there, everything())).toBe(Number(cell));
  }

  it.each(rowsWith(SECTION, 'without a token').map((row): [string, Row] => [row['operation'] ?? '', row]))(
    '%s needs no scope',
    async (address, row) => {
      const request = await prepared(address);
      expect(await statusOf(request, null)).toBe(Number(row['without a token']));
      expect(await statusOf(request, tokens.operator)).toBe(Number(row['operator']));
      const former = await send(request, tokens.former, request);
      const [status, ...words] = (row['former operator'] ?? '').split(' ');
      expect(former.statusCode).toBe(Number(status));
      if (words.length > 0) expect(former.json().me.scopes).toEqual([]);
    },
  );

  it('derives the access of its own bot from its entry alone', () => {
    expect(operators.clients.map(({ client_id }) => client_id)).toEqual([BOT]);
  });
});
