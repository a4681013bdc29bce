import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { matchesStoredSecret } from '../../../src/crypto/client-secret.ts';
import { rawSecret, storedPasswordHash } from '../../../src/crypto/secret-types.ts';
import { DEFAULT_METADATA } from '../../../src/registration/client-metadata.ts';
import { insertUser, saveClient } from '../../support/administration.ts';
import { findClient, listClients } from '../../support/stored-clients.ts';
import { type CommandLine, openCommandLine, type Typed, ways } from './command-line.ts';

describe.each(ways)('clients, through the %s', (way) => {
  let line: CommandLine;
  beforeAll(async () => {
    line = await openCommandLine(undefined, way);
  });
  afterAll(() => line.close());

  const db = () => line.runtime.database.drizzle;
  const callback = 'https://shop.example/callback';
  const importing = (document: unknown, ...flags: string[]) =>
    line.run(['clients', 'import', '-', ...flags], { stdin: JSON.stringify(document) });

  async function accepts(clientId: string, secret: string): Promise<boolean> {
    const client = await findClient(db(), clientId);
    return client !== null && matchesStoredSecret(line.runtime.keys, client.secretMacs, rawSecret(secret));
  }

  describe('clients create', () => {
    it('prints the generated secret once, and no other command does', async () => {
      const { status, out, err } = await line.run(['clients', 'create', '--id', 'made', '--redirect-uri', callback]);
      expect({ status, err }).toEqual({ status: 0, err: '' });
      expect(out).toMatch(/^created\n {2}client_id {6}made\n/);
      expect(out).toMatch('not shown again');
      const secret = /client_secret {2}([\w-]{43})\n/.exec(out)?.[1] ?? '';
      expect(await accepts('made', secret)).toBe(true);

      const mac = (await findClient(db(), 'made'))?.secretMacs[0]?.mac ?? '';
      for (const args of [['list'], ['list', '--json'], ['show', 'made'], ['show', 'made', '--json']]) {
        const shown = await line.run(['clients', ...args]);
        expect(shown.out).toMatch('made');
        expect(shown.out).not.toMatch(secret);
        expect(shown.out).not.toMatch(mac);
      }
    });

    it('shows for a client with a jwks_uri when its keys were fetched', async () => {
      const keys = ['--auth-method', 'private_key_jwt', '--jwks-uri', 'https://shop.example/keys'];
      await line.run(['clients', 'create', '--id', 'published', '--redirect-uri', callback, ...keys]);
      expect((await line.run(['clients', 'show', 'published'])).out).toMatch(/keys fetched +never, by the server/);
      expect(JSON.parse((await line.run(['clients', 'show', 'published', '--json'])).out)).toMatchObject({
        fetched: { keys: [], fetched_at: null },
      });
    });

    it('shows the workload of a client, and that it has no secret', async () => {
      const workload = {
        '--workload-issuer': 'https://kubernetes.default.svc.cluster.local',
        '--workload-subject': 'system:serviceaccount:shop:api',
        '--jwks-uri': 'https://cluster.example/openid/v1/jwks',
      };
      const flags = ['--auth-method', 'workload_jwt', '--grant-type', 'client_credentials', '--policy', 'service'];
      const made = ['clients', 'create', '--id', 'workload', ...flags];
      const refused = await line.run([...made, ...Object.entries(workload).flat().slice(2)]);
      expect(refused.err).toMatch(/workload_issuer: .*the iss of the tokens of the workload/s);
      expect((await line.run([...made, ...Object.entries(workload).flat()])).status).toBe(0);
      const { out } = await line.run(['clients', 'show', 'workload']);
      expect(out).toMatch(/authenticates +workload_jwt, with the token of its workload \(no secret\)/);
      expect(out).toMatch(/workload issuer +https:\/\/kubernetes\.default\.svc\.cluster\.local\n/);
      expect(out).toMatch(/workload subject +system:serviceaccount:shop:api\n/);
      expect(out).toMatch(/^ +keys +the keys at jwks_uri\n +keys at +https:/m);
      expect(out).toMatch(/keys fetched +never, by the server/);
    });

    it('has a flag for each field', async () => {
      const { status } = await line.run(
        [
          [
            'clients',
            'create',
            '--id',
            'full',
            '--name',
            'Full',
            '--redirect-uri',
            callback,
            '--redirect-uri',
            `${callback}2`,
          ],
          [
            '--grant-type',
            'authorization_code',
            '--grant-type',
            'refresh_token',
            '--public',
            '--application-type',
            'native',
          ],
          [
            '--scope',
            'read write',
            '--default-scope',
            'read',
            '--default-resource',
            'https://api.example.com',
            '--policy',
            'default',
          ],
          ['--post-logout-redirect-uri', `${callback}/out`, '--post-logout-redirect-uri', 'com.example.shop:/out'],
          ['--id-token-alg', 'ES256', '--dpop-bound-access-tokens', 'true'],
        ].flat(),
      );
      expect(status).toBe(0);
      expect(JSON.parse((await line.run(['clients', 'show', 'full', '--json'])).out)).toEqual({
        client_id: 'full',
        client_name: 'Full',
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        redirect_uris: [callback, `${callback}2`],
        grant_types: ['authorization_code', 'refresh_token'],
        scope: 'read write',
        default_scope: 'read',
        default_resource: 'https://api.example.com',
        policy: 'default',
        post_logout_redirect_uris: [`${callback}/out`, 'com.example.shop:/out'],
        id_token_signed_response_alg: 'ES256',
        dpop_bound_access_tokens: true,
        stored_secrets: 0,
      });
      const shown = (await line.run(['clients', 'show', 'full'])).out;
      expect(shown).toMatch(/^ +keys +\(none\)\n +keys at +\(none\)\n/m);
      expect(shown).toMatch(/after a sign-out +https:\S+\/out\n +com\.example\.shop:\/out\n/);
      expect(shown).toMatch(/ID Tokens +signed with ES256\n/);
      // `import` accepts the output of `show`, for the same client.
      const again = await importing(JSON.parse((await line.run(['clients', 'show', 'full', '--json'])).out));
      expect(again.out).toMatch('unchanged');
    });

    it('rejects an invalid post-logout redirect URI and an unknown algorithm, and creates no client', async () => {
      for (const [flag, value, words] of [
        ['--post-logout-redirect-uri', 'https://*.shop.example/', 'post_logout_redirect_uris.0'],
        ['--id-token-alg', 'HS256', 'id_token_signed_response_alg'],
        ['--id-token-alg', 'EdDSA', 'signing-keys.yaml'],
      ] as const) {
        const refused = await line.run(['clients', 'create', '--id', 'never', '--redirect-uri', callback, flag, value]);
        expect(refused).toMatchObject({ status: 1, out: '', err: expect.stringContaining(words) });
        expect(await findClient(db(), 'never')).toBeNull();
      }
    });

    it('applies the defaults to unset fields, and omits them from documents', async () => {
      await line.run(['clients', 'create', '--id', 'plain', '--redirect-uri', callback]);
      expect(await findClient(db(), 'plain')).toMatchObject({
        postLogoutRedirectUris: [],
        idTokenSignedResponseAlg: 'RS256',
      });
      const document = JSON.parse((await line.run(['clients', 'show', 'plain', '--json'])).out);
      expect(Object.keys(document)).not.toContain('post_logout_redirect_uris');
      expect(Object.keys(document)).not.toContain('id_token_signed_response_alg');
    });

    it('accepts a secret from the environment verbatim, and never from an argument', async () => {
      const secret = ` ~!@ #$%^&*()+=:;"'<>?/\\| `;
      const args = [
        'clients',
        'create',
        '--id',
        'own',
        '--grant-type',
        'client_credentials',
        '--auth-method',
        'client_secret_post',
      ];
      const { out } = await line.run([...args, '--json'], { env: { STATEHOUSE_CLIENT_SECRET: secret } });
      expect(JSON.parse(out)).toMatchObject({
        outcome: 'created',
        client: { client_id: 'own' },
        warnings: [expect.stringContaining('few')],
      });
      expect(out).not.toContain('client_secret"');
      expect(await accepts('own', secret)).toBe(true);

      for (const flag of ['--secret', '--client-secret']) {
        const refused = await line.run([...args, flag, 'hunter2hunter2']);
        expect(refused).toMatchObject({ status: 1, out: '', err: expect.stringContaining(`unknown option '${flag}'`) });
        expect(refused.err).not.toContain('hunter2');
      }
    });

    it('is idempotent, and replaces no client', async () => {
      const args = ['clients', 'create', '--id', 'twice', '--redirect-uri', callback];
      await line.run(args);
      expect((await line.run(args)).out).toBe('unchanged\n  client_id      twice\n');
      const { status, out, err } = await line.run([...args, '--scope', 'read']);
      expect({ status, out }).toEqual({ status: 1, out: '' });
      expect(err).toMatch('exists, and differs in scope; nothing was changed');
      expect((await findClient(db(), 'twice'))?.scope).toBeNull();
    });

    it('reports each error', async () => {
      const refused = await line.run(['clients', 'create', '--redirect-uri', 'com.example.shop:/']);
      expect(refused).toMatchObject({ status: 1, out: '' });
      expect(refused.err).toMatch('redirect_uris.0: Expected https for a web application (');
      const both = await line.run(['clients', 'create', '--public', '--auth-method', 'client_secret_basic']);
      expect(both.err).toMatch('--public means --auth-method none');
    });
  });

  describe('clients import', () => {
    const documents = [
      { client_id: 'one', client_secret: 'abcdefgh'.repeat(5), redirect_uris: [callback] },
      { client_id: 'two', redirect_uris: [callback], token_endpoint_auth_method: 'none' },
    ];

    it('creates, then changes nothing, then updates', async () => {
      expect((await importing(documents)).out).toBe('created    one\ncreated    two\n');
      const before = await listClients(db());
      expect((await importing({ clients: documents })).out).toBe('unchanged  one\nunchanged  two\n');
      expect(await listClients(db())).toEqual(before);
      expect((await importing({ ...documents[0], client_name: 'One' })).out).toBe('updated    one  (client_name)\n');
    });

    it('prints a generated secret once, and keeps it', async () => {
      const record = { client_id: 'no-secret', redirect_uris: [callback] };
      const [first] = JSON.parse((await importing(record, '--json')).out).clients;
      expect(first).toEqual({
        client_id: 'no-secret',
        outcome: 'created',
        changed: [],
        client_secret: expect.stringMatching(/^[\w-]{43}$/),
        warnings: [],
      });
      expect(await accepts('no-secret', first.client_secret)).toBe(true);
      expect((await importing(record)).out).toBe('unchanged  no-secret\n');
      expect(await accepts('no-secret', first.client_secret)).toBe(true);
    });

    it.each([
      ['clients import', ['clients', 'import', '-'], {}],
      [
        'clients create',
        ['clients', 'create', '--id', 'weak', '--grant-type', 'client_credentials'],
        { STATEHOUSE_CLIENT_SECRET: 'hunter2' },
      ],
    ])('%s rejects a weak secret in production, and stores nothing', async (_, args, given) => {
      const env = {
        NODE_ENV: 'production',
        STATEHOUSE_ISSUER: 'https://as.test',
        STATEHOUSE_SECRET: 'a root secret of more than 32 bytes',
        DATABASE_URL: 'postgres://nowhere/at_all',
        ...given,
      };
      const stdin = JSON.stringify({
        client_id: 'weak',
        client_secret: 'hunter2',
        grant_types: ['client_credentials'],
      });
      const { status, out, err } = await line.run(args, { env, stdin });
      expect({ status, out }).toEqual({ status: 1, out: '' });
      expect(err).toMatch(/client_secret: Expected at least 22 random characters in production.*found 7 characters/);
      expect(err).not.toContain('hunter2');
      expect(await findClient(line.runtime.database.drizzle, 'weak')).toBeNull();
    });

    it('rejects the sub of an end-user as an id, with the reason', async () => {
      const id = randomUUID();
      await insertUser(db(), { id, username: id, passwordHash: storedPasswordHash('x'), claims: {} });
      for (const clientId of [id, id.toUpperCase()]) {
        const imported = await importing({ client_id: clientId, redirect_uris: [callback] });
        const created = await line.run(['clients', 'create', '--id', clientId, '--redirect-uri', callback]);
        for (const { status, err } of [imported, created]) {
          expect(status).toBe(1);
          expect(err).toMatch(
            /client_id: Expected an id that no end-user has \(RFC 9700 §4\.15\), found the sub of an end-user/,
          );
        }
        expect(await findClient(db(), clientId)).toBeNull();
      }
    });

    it('accepts any secret of %x20-7E, untrimmed, and never prints it', async () => {
      const secret = ` ~!@ #$%^&*()+=:;"'<>?/\\| `;
      const { out } = await importing({ client_id: 'weird', client_secret: secret, redirect_uris: [callback] });
      expect(out).toMatch(/^created {4}weird\n {2}warning: client_secret: 26 characters are few/);
      expect(out).not.toContain(secret.trim());
      expect(await accepts('weird', secret)).toBe(true);
      expect(await accepts('weird', secret.trim())).toBe(false);
    });

    it('changes nothing when one record is invalid, and names every invalid one', async () => {
      const { status, out, err } = await importing([
        { client_id: 'innocent', redirect_uris: [callback] },
        { client_id: 'guilty', redirect_uris: [callback], client_secret: 'töp-secret', grant_types: ['implicit'] },
        { redirect_uris: [callback] },
        { client_id: 'innocent', redirect_uris: [callback] },
        'text',
      ]);
      expect({ status, out }).toEqual({ status: 1, out: '' });
      expect(err).toBe(
        [
          'The import is refused; nothing was changed.',
          '  record 2 (client_id "guilty"): client_secret: Expected 1 to 1024 characters of %x20-7E, found a text of 10 characters (not shown).',
          '  record 2 (client_id "guilty"): grant_types.0: Expected "authorization_code" with PKCE (the implicit grant is not part of OAuth 2.1, §10.1), found "implicit".',
          '  record 3: client_id: Expected an id, so that the import can be repeated, found nothing.',
          '  record 4 (client_id "innocent"): client_id: Expected a value that no other record has, found that of record 1.',
          '  record 5: Expected an object with the fields of RFC 7591, found "text".',
          '',
        ].join('\n'),
      );
      expect(await findClient(db(), 'innocent')).toBeNull();
    });

    it.each<[string, Typed['stdin'], string]>([
      ['nothing', '', 'Standard input is empty'],
      ['blanks', ' \n\t', 'Standard input is empty'],
      [
        'broken JSON',
        '{"client_secret": "hunter2hunter2",\n "x": tru}',
        'is not JSON: it breaks at line 2, column 10.',
      ],
      ['cut JSON', '[{"client_secret": "hunter2hunter2"', 'is not JSON: it breaks at line 1, column 36.'],
      ['a single text', '"hunter2hunter2"', 'a JSON object or list of clients is expected'],
      ['no text', Uint8Array.of(0xff, 0x7b, 0x7d), 'Standard input is not UTF-8 text'],
      [
        'UTF-16 with its mark',
        Buffer.from('\ufeff{}', 'utf16le'),
        'is UTF-16 text; UTF-8 is expected. Save it as UTF-8',
      ],
      ['UTF-16', Buffer.from('[{}]', 'utf16le'), 'Standard input is UTF-16 text'],
      ['UTF-16, big-endian', Buffer.from('[{}]', 'utf16le').swap16(), 'Standard input is UTF-16 text'],
      ['users', '{"users": []}', 'has users, not clients: use "statehouse users import"'],
    ])('explains the error in %s', async (_, stdin = '', words) => {
      const { status, out, err } = await line.run(['clients', 'import', '-'], { stdin });
      expect({ status, out }).toEqual({ status: 1, out: '' });
      expect(err).toContain(words);
      expect(err).not.toMatch(/hunter2|^\s+at /m);
    });

    it('reports a missing file, and an empty one', async () => {
      expect((await line.run(['clients', 'import', 'nowhere.json'])).err).toBe('nowhere.json: no such file.\n');
      expect((await line.run(['clients', 'import', 'test'])).err).toBe('test: is a folder, not a file.\n');
      expect((await importing([])).out).toBe('The file has no clients; nothing was changed.\n');
      expect((await line.run(['clients', 'import', '-'], { stdin: '\ufeff[]' })).status).toBe(0);
    });
  });

  describe('clients rotate-secret', () => {
    const MADE = /client_secret {2}([\w-]{43})\n/;

    it('replaces the secret alone, and prints the new one once', async () => {
      const id = ['--id', 'rotated', '--redirect-uri', callback, '--scope', 'read'];
      const created = await line.run(['clients', 'create', ...id]);
      const before = await findClient(db(), 'rotated');
      const [, old = ''] = MADE.exec(created.out) ?? [];
      const { status, out, err } = await line.run(['clients', 'rotate-secret', 'rotated']);
      expect({ status, err }).toEqual({ status: 0, err: '' });
      const [, fresh = ''] = MADE.exec(out) ?? [];
      expect(await accepts('rotated', fresh)).toBe(true);
      expect(await accepts('rotated', old)).toBe(false);
      expect({ ...(await findClient(db(), 'rotated')), secretMacs: before?.secretMacs }).toEqual(before);
      expect((await line.run(['clients', 'show', 'rotated'])).out).not.toContain(fresh);

      const again = JSON.parse((await line.run(['clients', 'rotate-secret', 'rotated', '--json'])).out);
      expect(again).toEqual({ client_id: 'rotated', outcome: 'rotated', client_secret: expect.any(String) });
      expect(await accepts('rotated', again.client_secret)).toBe(true);
      expect(await accepts('rotated', fresh)).toBe(false);
    });

    it('rejects a public client, and an unknown one', async () => {
      await line.run(['clients', 'create', '--id', 'open-app', '--public', '--redirect-uri', callback]);
      const ofPublic = await line.run(['clients', 'rotate-secret', 'open-app']);
      expect(ofPublic).toMatchObject({ status: 1, out: '', err: expect.stringContaining('It has no secret') });
      expect((await findClient(db(), 'open-app'))?.secretMacs).toEqual([]);
      const unknown = await line.run(['clients', 'rotate-secret', 'unknown']);
      expect(unknown).toEqual({ status: 1, out: '', err: 'No such client: "unknown".\n' });
    });
  });

  describe('clients rotate-secret, without an outage', () => {
    const MADE = /client_secret {2}([\w-]{43})\n/;
    const made = async (...args: string[]) => MADE.exec((await line.run(['clients', ...args])).out)?.[1] ?? '';

    it('keeps the previous secret until an administrator ends it', async () => {
      const old = await made('create', '--id', 'exchanging', '--redirect-uri', callback);
      const fresh = await made('rotate-secret', 'exchanging', '--keep-previous');
      for (const secret of [old, fresh]) expect(await accepts('exchanging', secret)).toBe(true);
      const third = await line.run(['clients', 'rotate-secret', 'exchanging', '--keep-previous']);
      expect(third).toMatchObject({ status: 1, out: '', err: expect.stringContaining('two active secrets') });
      const ended = await line.run(['clients', 'rotate-secret', 'exchanging', '--end-previous']);
      expect(ended).toMatchObject({
        status: 0,
        err: '',
        out: expect.stringContaining('the newer one stays valid'),
      });
      expect(await accepts('exchanging', old)).toBe(false);
      expect(await accepts('exchanging', fresh)).toBe(true);
      const last = await line.run(['clients', 'rotate-secret', 'exchanging', '--end-previous']);
      expect(last).toMatchObject({ status: 1, err: expect.stringContaining('the only secret') });
      expect(await accepts('exchanging', fresh)).toBe(true);
    });

    it('performs one action at a time, and none for an unknown client', async () => {
      const both = await line.run(['clients', 'rotate-secret', 'exchanging', '--keep-previous', '--end-previous']);
      expect(both).toMatchObject({ status: 1, err: expect.stringContaining('cannot be used with') });
      const missing = await line.run(['clients', 'rotate-secret', 'unknown', '--end-previous']);
      expect(missing).toEqual({ status: 1, out: '', err: 'No such client: "unknown".\n' });
      const ended = await line.run(['clients', 'create', '--id', 'json-exchange', '--redirect-uri', callback]);
      expect(ended.status).toBe(0);
      await line.run(['clients', 'rotate-secret', 'json-exchange', '--keep-previous']);
      const { out } = await line.run(['clients', 'rotate-secret', 'json-exchange', '--end-previous', '--json']);
      expect(JSON.parse(out)).toEqual({ client_id: 'json-exchange', outcome: 'ended' });
    });
  });

  describe('clients update', () => {
    const update = (...args: string[]) => line.run(['clients', 'update', ...args]);

    it('changes the named fields alone', async () => {
      const created = ['--id', 'changing', '--name', 'Shop', '--redirect-uri', callback, '--scope', 'read'];
      await line.run(['clients', 'create', ...created]);
      const before = await findClient(db(), 'changing');
      const { status, out, err } = await update(
        'changing',
        '--name',
        'Other',
        '--redirect-uri',
        'https://b.example/cb',
      );
      expect({ status, err }).toEqual({ status: 0, err: '' });
      expect(out).toBe('updated    changing  (client_name, redirect_uris)\n');
      expect(await findClient(db(), 'changing')).toEqual({
        ...before,
        clientName: 'Other',
        redirectUris: ['https://b.example/cb'],
      });
      expect((await update('changing', '--name', 'Other')).out).toBe('unchanged  changing\n');
      const unset = JSON.parse((await update('changing', '--unset', 'scope', '--json')).out);
      expect(unset).toMatchObject({ outcome: 'updated', changed: ['scope'], client: { client_id: 'changing' } });
      expect((await findClient(db(), 'changing'))?.scope).toBeNull();
    });

    it('rejects what registration would reject, and changes nothing', async () => {
      await line.run(['clients', 'create', '--id', 'staying', '--redirect-uri', callback]);
      const before = await findClient(db(), 'staying');
      for (const [args, words] of [
        [['--policy', 'unknown'], 'policy: Expected'],
        [['--redirect-uri', 'https://a.example/#fragment'], 'redirect_uris.0: Expected'],
        [['--unset', 'redirect_uris'], 'redirect_uris: Expected'],
        [['--unset', 'redirect_uri'], '--unset: Expected one of'],
        [['--unset', 'client_id'], '--unset: Expected one of'],
        [['--public', '--auth-method', 'client_secret_post'], 'leave out one of them'],
      ] as const) {
        const refused = await update('staying', ...args);
        expect(refused, words).toMatchObject({ status: 1, out: '', err: expect.stringContaining(words) });
      }
      expect(await findClient(db(), 'staying')).toEqual(before);
      expect(await update('unknown')).toEqual({ status: 1, out: '', err: 'No such client: "unknown".\n' });
    });

    it('generates a secret when the client starts to need one, and deletes it when the client no longer does', async () => {
      await line.run(['clients', 'create', '--id', 'opening', '--public', '--redirect-uri', callback]);
      const { out } = await update('opening', '--auth-method', 'client_secret_post');
      const [, secret = ''] = /client_secret {2}([\w-]{43})\n/.exec(out) ?? [];
      expect(await accepts('opening', secret)).toBe(true);
      await update('opening', '--public');
      expect((await findClient(db(), 'opening'))?.secretMacs).toEqual([]);
    });
  });

  describe('clients show and delete', () => {
    it('report an unknown client', async () => {
      expect(await line.run(['clients', 'show', 'no\u001bbody'])).toEqual({
        status: 1,
        out: '',
        err: 'No such client: "no\\u{1b}body".\n',
      });
      expect((await line.run(['clients', 'delete', 'unknown'])).status).toBe(1);
    });

    it('show no character of a name that rearranges the line, nor does the list', async () => {
      await importing({ client_id: 'mirrored', client_name: 'Bank\u200f (evil)', redirect_uris: [callback] });
      for (const args of [['list'], ['show', 'mirrored']]) {
        const { out } = await line.run(['clients', ...args]);
        expect(out).toContain('Bank\\u{200f} (evil)');
        expect(out).not.toContain('\u200f');
      }
    });

    it('delete for good', async () => {
      await importing({ client_id: 'leaving', redirect_uris: [callback] });
      expect((await line.run(['clients', 'delete', 'leaving', '--json'])).out).toBe(
        '{\n  "client_id": "leaving",\n  "outcome": "deleted"\n}\n',
      );
      expect((await line.run(['clients', 'list'])).out).not.toContain('leaving');
      expect((await line.run(['clients', 'delete', 'leaving'])).status).toBe(1);
    });
  });

  it('a declared client can be changed in its file alone', async () => {
    const stored = { ...DEFAULT_METADATA, clientId: 'declared', clientName: 'Declared', secretMacs: [] };
    const mac = { keyId: '00000000', mac: 'ab' };
    await saveClient(db(), { ...stored, redirectUris: [callback], secretMacs: [mac] }, true);
    const before = await findClient(db(), 'declared');
    const other = 'https://evil.example/';
    const asked = [
      importing({ client_id: 'declared', redirect_uris: [other] }),
      line.run(['clients', 'create', '--id', 'declared', '--redirect-uri', other]),
      line.run(['clients', 'update', 'declared', '--redirect-uri', other]),
      line.run(['clients', 'rotate-secret', 'declared']),
      line.run(['clients', 'delete', 'declared']),
    ];
    for (const { status, out, err } of await Promise.all(asked)) {
      expect({ status, out, err }).toEqual({ status: 1, out: '', err: expect.stringContaining('clients.yaml') });
    }
    expect(await findClient(db(), 'declared')).toEqual(before);
  });

  it('a client that a file declares but no start has stored can be changed in its file alone', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'statehouse-policies-'));
    cpSync(new URL('../../../policies', import.meta.url).pathname, folder, { recursive: true });
    const record = `clients:\n  - client_id: filed\n    redirect_uris: ['${callback}']\n    token_endpoint_auth_method: none\n`;
    writeFileSync(join(folder, 'clients.yaml'), record);
    const env = { STATEHOUSE_CONFIG: folder };
    const stdin = JSON.stringify({ client_id: 'filed', redirect_uris: [callback] });
    try {
      for (const [args, typed] of [
        [['clients', 'create', '--id', 'filed', '--redirect-uri', callback], {}],
        [['clients', 'import', '-'], { stdin }],
        [['clients', 'rotate-secret', 'filed'], {}],
        [['clients', 'delete', 'filed'], {}],
      ] as const) {
        const refused = await line.run(args, { env, ...typed });
        expect(refused).toEqual({ status: 1, out: '', err: expect.stringContaining('clients.yaml') });
        expect(await findClient(db(), 'filed')).toBeNull();
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('an import with one invalid record changes nothing, whether the command or the server rejects it', async () => {
    const good = { client_id: 'good', redirect_uris: [callback] };
    const wrong = { client_id: 'wrong', redirect_uris: [callback], policy: 'none' };
    const refused = await importing([good, wrong]);
    expect(refused).toEqual({ status: 1, out: '', err: expect.stringContaining('nothing was changed.') });
    expect(refused.err).toMatch(/record 2 \(client_id "wrong"\): policy: /);
    expect(await findClient(db(), 'good')).toBeNull();
  });
});
