/**
 * docs/deploying.md as an operator follows it: the blocks of the page itself, typed into a shell, against a Postgres with two roles,
 * passwords and TLS. SUBSTITUTIONS (operator.ts) has the steps that a machine for tests cannot do as printed; a block that is not run is
 * in NOT_RUN.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PASSWORD } from '../support/actors.ts';
import { enrol } from '../support/factors.ts';
import { RemoteBrowser } from '../support/remote-browser.ts';
import { until } from '../support/until.ts';
import { anOperator, blocks } from './operator.ts';
import { hasPostgresCommands, startPostgresWithTls } from './own-postgres.ts';

const RUN = ['First start', 'TLS and proxies', 'Several nodes', 'Backups', 'The root secret', 'Why did my token die?'];
const NOT_RUN: Readonly<Record<string, string>> = {
  Containers:
    'needs a container engine; .ci/image builds and runs the image, .ci/manifests and container-files.test.ts read compose.yaml',
  'Client certificates': 'needs client certificates; test/interop/client-certificates.test.ts sends them through nginx',
  'The first operator': 'ends in a browser; test/e2e/first-operator.test.ts follows it there',
  Kubernetes: 'needs a cluster; .ci/manifests renders and validates',
  'Making standbys': 'standby-step-by-step.test.ts runs it',
  'Failing over': 'standby-step-by-step.test.ts runs it',
  systemd: 'needs a booted systemd; samples.test.ts has the units verified',
};

describe('docs/deploying.md', () => {
  it('has no block of shell that is neither run nor exempted', () => {
    expect(blocks.map(({ under }) => under).filter((under) => !RUN.includes(under) && !NOT_RUN[under])).toEqual([]);
  });

  // Skipped where Postgres's own commands are not installed.
  it.runIf(hasPostgresCommands)('works as printed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'statehouse-deployed-'));
    const postgres = await startPostgresWithTls(folder);
    onTestFinished(async () => {
      await postgres.stop();
      rmSync(folder, { recursive: true });
    });
    const operator = await anOperator({ folder, postgres, headings: RUN });
    const { first, second, adapted, type, succeeds, run, next, startNodes, stopNodes, restartNodes, logs } = operator;
    const { keepSecret, makeClient, serves, signIn, refreshed, refused } = operator;

    await operator.beginsAsPrinted();
    // It works: a client, a sign-in at one node, the exchange at the other.
    for (const id of ['shop', 'dormant']) await makeClient(id);
    // With an authenticator app and recovery codes.
    const grace = { id: '', username: 'grace' };
    await succeeds(`npx statehouse users create ${grace.username}`);
    const realTime = { clock: { now: () => new Date(), advanceSeconds: () => {} } } as unknown as Parameters<
      typeof enrol
    >[0];
    const enrolled = await enrol(realTime, new RemoteBrowser(first), grace);
    const proves = async (code: string): Promise<boolean> => {
      const browser = new RemoteBrowser(second);
      const form = await browser.get('/sign-in?then=devices');
      const asked = await browser.submit(form, { username: grace.username, password: PASSWORD });
      expect(asked.body).toContain('autocomplete="one-time-code"');
      return !(await browser.submit(asked, { code })).body.includes('autocomplete="one-time-code"');
    };
    let held = await signIn();
    held = await refreshed(first, held);
    await serves(second, 'declared');

    // Why did my token die?
    const grantId = Buffer.from(held.slice(6), 'base64url').subarray(5, 21).toString('hex');
    const uuid = grantId.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    writeFileSync(join(folder, 'token.txt'), held);
    await run(next('Why did my token die?', 'explain'), {
      more: {
        '018f3c5e-0000-4000-8000-000000000000': uuid,
        '< token.txt': `< ${join(folder, 'token.txt')}`,
      },
    });
    // sql-in-docs.test.ts runs what reads a grant off a token.
    next('Why did my token die?', 'node -p');

    // The rotation of the root secret, with a chain that continues through each step at both nodes.
    const resumption = async () => {
      held = await refreshed(first, held);
      held = await refreshed(second, held);
    };
    await run(next('The root secret', 'export STATEHOUSE_SECRET="$old,$new"'));
    await restartNodes(resumption);
    await resumption();
    await run(next('The root secret', 'export STATEHOUSE_SECRET="$new,$old"'));
    await restartNodes(resumption);
    await resumption();
    for (const id of ['shop', 'declared']) await serves(first, id);
    // Both nodes have listed both secrets twice, and each time renewed what is stored.
    await until(() => logs().split('rows renewed under the first root secret').length > 4);
    const namesClients = async (statement: string): Promise<string[]> => {
      const { printed } = await type(adapted(statement));
      return [...printed.matchAll(/^client (\S+): client_secret: stored under a root secret/gm)].map(
        ([, id = '']) => id,
      );
    };
    const renewSecrets = async ([check = '', rotate = '', ...more]: readonly string[]): Promise<string[]> => {
      expect(more).toEqual([]);
      const named = await namesClients(check);
      for (const id of named) keepSecret(id, await succeeds(adapted(rotate, { CLIENT_ID: id })));
      expect(await namesClients(check)).toEqual([]);
      return named;
    };
    const look = next('The root secret', 'npx statehouse check');
    const { printed: announced } = await type(adapted(look[0] ?? ''));
    expect(announced).toMatch(/still needed by 1 refresh tokens .*; 1 client secrets /);
    expect(announced).not.toMatch(/authenticator apps|recovery codes|rows of/);
    expect(await renewSecrets(look)).toEqual(['dormant']);
    await run(next('The root secret', 'export STATEHOUSE_SECRET="$new"'));
    await restartNodes(resumption);
    await resumption();
    for (const id of ['shop', 'dormant', 'declared']) await serves(second, id);
    await succeeds('npx statehouse check');
    // The second factor from before the rotation: the code of the next step is new at any time, and a recovery code is unused.
    const soon = new Date(Date.now() + 30_000);
    expect(await proves(enrolled.app.codeAt(soon))).toBe(true);
    expect(await proves(enrolled.recoveryCodes[0] ?? '')).toBe(true);

    // A restored backup: later changes are lost, so every session and grant ends.
    await stopNodes();
    await succeeds('createdb --template=statehouse --owner=statehouse_owner backup');
    await run(next('Backups', 'npx statehouse ledger keys'));
    await startNodes();
    const before = held;
    await resumption();
    await stopNodes();
    await succeeds('dropdb statehouse && createdb --template=backup --owner=statehouse_owner statehouse');
    await run(next('Backups', 'npx statehouse recover --yes'));
    await run(next('Backups', 'npx statehouse ledger verify'));
    await startNodes();
    await refused(first, before);
    await refused(second, held);
    const stolen = await signIn();
    const kidsOf = async (node: string) =>
      ((await (await fetch(`${node}/.well-known/jwks.json`)).json()) as { keys: { kid: string }[] }).keys.map(
        ({ kid }) => kid,
      );
    const leakedKids = await kidsOf(first);

    // The root secret leaked.
    await stopNodes();
    await run(next('The root secret', 'update signing_keys'));
    await run(next('The root secret', 'export STATEHOUSE_SECRET="$(openssl'));
    await run(next('The root secret', 'migrate --authenticate-rows'));
    await startNodes();
    const named = await renewSecrets(next('The root secret', 'npx statehouse check'));
    expect(named.toSorted()).toEqual(['dormant', 'shop']);
    for (const id of ['shop', 'dormant', 'declared']) await serves(second, id);
    await refused(first, stolen);
    const kids = await kidsOf(second);
    expect(kids).not.toEqual([]);
    expect(kids.filter((kid) => leakedKids.includes(kid))).toEqual([]);
    await refreshed(second, await signIn());
    await succeeds('npx statehouse check');
    // Signatures of both root secrets verify with the keys that were printed before the leak.
    await run(next('The root secret', 'npx statehouse ledger verify'));
    await stopNodes();

    expect(operator.left()).toEqual([]);
  });
});
