/** The three programs of examples/mcp-protected-api, started as its README says, by Node alone, in a folder that has another purpose. */
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
/** The commands of the README for the three terminals, without its comments. */
const programs = [...README.matchAll(/^```sh\n(.*?) *(?:#.*)?\n```$/gm)].map(([, command = '']) => command);

it('the programs start whatever .statehouse holds, and complete the whole flow', async () => {
  expect(programs).toHaveLength(3);
  const folder = mkdtempSync(join(tmpdir(), 'statehouse-example-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  // No database can be opened here.
  writeFileSync(join(folder, '.statehouse'), 'something else');
  const issuer = `http://localhost:${await freePort()}`;
  const api = `http://localhost:${await freePort()}/mcp`;
  const env = { PATH: process.env['PATH'], ISSUER: issuer, API: api, NODE_OPTIONS: waiting().join(' ') };
  const start = (program: string) => {
    const [npx, node, file = ''] = program.split(' ');
    expect([npx, node]).toEqual(['npx', 'node']);
    const child = startChild(process.execPath, [join(ROOT, file)], { cwd: folder, env });
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

  const [statehouse, photos, client] = programs.map((program) => () => start(program));
  if (!statehouse || !photos || !client) throw new Error('three programs');
  const server = statehouse();
  await becomesReady(server.child, issuer, server.output);
  await server.says(/password \S+/);
  await photos().says(/^Photos are at /m);
  const agent = client();
  await agent.says(/^ {2}http\S+$/m);

  const [, url = ''] = /^ {2}(http\S+)$/m.exec(agent.output()) ?? [];
  const [, username = '', password = ''] = /username (\S+), password (\S+)/.exec(server.output()) ?? [];
  const browser = new RemoteBrowser(issuer);
  const signIn = await browser.get(url.slice(issuer.length));
  const consent = await browser.submit(signIn, { username, password });
  const { url: back } = await browser.submit(consent, { decision: 'approve' });
  await fetch(back);
  await agent.says(/^Photos: \[/m);
  expect(agent.output()).toContain('Tools: list_photos, add_photo');

  server.child.kill('SIGTERM');
  await until(() => hasEnded(server.child));
  expect(server.child.exitCode).toBe(0);
});
