/** The programs of examples/mcp-protected-api, started as its README says, by Node alone, in a folder that has another purpose. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { becomesReady, hasEnded, outputOf, startChild, waiting } from '../support/child-process.ts';
import { freePort } from '../support/listening.ts';
import { RemoteBrowser } from '../support/remote-browser.ts';
import { until } from '../support/until.ts';

const ROOT = join(import.meta.dirname, '../..');
const README = readFileSync(join(ROOT, 'examples/mcp-protected-api/README.md'), 'utf8');
/** The commands of the README, without its comments: all in one terminal, and one for each of three. */
const programs = [...README.matchAll(/^```sh\n(.*?) *(?:#.*)?\n```$/gm)].map(([, command = '']) => command);

/** A folder in which no database can be opened, and ports of its own. */
async function shell() {
  const folder = mkdtempSync(join(tmpdir(), 'statehouse-example-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, '.statehouse'), 'something else');
  const issuer = `http://localhost:${await freePort()}`;
  const api = `http://localhost:${await freePort()}/mcp`;
  const env = { PATH: process.env['PATH'], ISSUER: issuer, API: api, NODE_OPTIONS: waiting().join(' ') };
  const start = (program: string) => {
    const [, name, value, npx, node, file = ''] = /^(?:(\w+)=(\S+) )?(\S+) (\S+) (\S+)$/.exec(program) ?? [];
    expect([npx, node]).toEqual(['npx', 'node']);
    const more = name === undefined ? {} : { [name]: value };
    const child = startChild(process.execPath, [join(ROOT, file)], { cwd: folder, env: { ...env, ...more } });
    const output = outputOf(child);
    return {
      child,
      output,
      says: (pattern: RegExp) =>
        until(() => {
          if (!pattern.test(output()) && hasEnded(child)) throw new Error(`${file} ended:\n${output()}`);
          return pattern.test(output());
        }),
    };
  };
  return { issuer, start };
}
type Started = ReturnType<Awaited<ReturnType<typeof shell>>['start']>;

/** The end-user opens the printed URL, signs in and allows the client. @returns the URL, and the text of the consent page. */
async function allowed(issuer: string, client: Started, printed: string) {
  await client.says(/^ {2}http\S+\/oauth\/authorize\S+$/m);
  const [, url = ''] = /^ {2}(http\S+\/oauth\/authorize\S+)$/m.exec(client.output()) ?? [];
  const [, username = '', password = ''] = /username (\S+), password (\S+)/.exec(printed) ?? [];
  const browser = new RemoteBrowser(issuer);
  const signIn = await browser.get(url.slice(issuer.length));
  const consent = await browser.submit(signIn, { username, password });
  const { url: back } = await browser.submit(consent, { decision: 'approve' });
  await fetch(back);
  await client.says(/^Photos: \[/m);
  expect(client.output()).toContain('Tools: list_photos, add_photo');
  return { url, page: consent.body };
}

it('one command starts everything, a stranger registers itself, and all of it ends with the client', async () => {
  const { issuer, start } = await shell();
  const all = start(programs[0] ?? '');
  await all.says(/password \S+/);
  await all.says(/^Open this in a browser/m);
  const { url, page } = await allowed(issuer, all, all.output());
  expect(new URL(url).searchParams.get('client_id')).not.toBe('photo-agent');
  expect(page).toContain('Photo stranger');
  expect(page).toContain('This app is not vetted');
  await until(() => hasEnded(all.child));
  expect(all.child.exitCode, all.output()).toBe(0);
  await expect(fetch(issuer)).rejects.toThrow();
});

it('three commands start whatever .statehouse holds, and complete the whole flow with a registered client', async () => {
  expect(programs).toHaveLength(4);
  const { issuer, start } = await shell();
  const [statehouse, photos, client] = programs.slice(1).map((program) => () => start(program));
  if (!statehouse || !photos || !client) throw new Error('three programs');
  const server = statehouse();
  await becomesReady(server.child, issuer, server.output);
  await server.says(/password \S+/);
  await photos().says(/^Photos are at /m);
  const { url, page } = await allowed(issuer, client(), server.output());
  expect(new URL(url).searchParams.get('client_id')).toBe('photo-agent');
  expect(page).not.toContain('This app is not vetted');

  server.child.kill('SIGTERM');
  await until(() => hasEnded(server.child));
  expect(server.child.exitCode).toBe(0);
});
