/** The start of a production server without an operator: a terminal shows the link of the set-up, and a log never does. */
import { expect, it, onTestFinished } from 'vitest';
import { becomesReady, hasEnded, outputOf, START, startChild, waiting } from '../support/child-process.ts';
import { openTestDatabase } from '../support/database.ts';
import { freePort } from '../support/listening.ts';
import { until } from '../support/until.ts';

const LINK = /\/operator\/set-up\?t=[A-Za-z0-9_-]{43}/;
const WARNING = 'no operator can sign in: make a link for the first with \\"statehouse operators set-up\\"';

/** @param command how `node` is started, with its arguments. */
async function started(command: (args: readonly string[]) => readonly [string, ...string[]]) {
  const opened = await openTestDatabase('postgres');
  onTestFinished(() => opened.close());
  const port = await freePort();
  const issuer = `http://localhost:${port}`;
  const [program, ...args] = command([process.execPath, ...waiting(), ...START]);
  const server = startChild(program, args, {
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      NODE_ENV: 'production',
      STATEHOUSE_ISSUER: issuer,
      STATEHOUSE_SECRET: 'a-root-secret-of-more-than-32-bytes',
      STATEHOUSE_ALLOW_TABLE_OWNER: 'true',
      DATABASE_URL: opened.url,
    },
  });
  const output = outputOf(server);
  // The end of a terminal is a SIGHUP, which the server takes as a reload.
  onTestFinished(() => {
    const [, pid] = /^pid (\d+)/m.exec(output()) ?? [];
    if (pid !== undefined) process.kill(Number(pid), 'SIGKILL');
  });
  await becomesReady(server, issuer, output);
  // It says one of both before it listens; its lines come in blocks.
  await until(() => LINK.test(output()) || output().includes(WARNING) || hasEnded(server));
  return { issuer, output };
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

it('on a terminal it prints a link that works', async () => {
  // util-linux's `script` gives its command a terminal.
  const { issuer, output } = await started((args) => [
    'script',
    '-qec',
    `echo "pid $$"; exec ${args.map(quoted).join(' ')}`,
    '/dev/null',
  ]);
  expect(output()).toContain('This server has no operator. This link makes the first, once, within a day:');
  const [path = ''] = LINK.exec(output()) ?? [];
  expect((await fetch(issuer + path)).status).toBe(200);
});

it('without a terminal the log has the command that makes a link, and no link', async () => {
  const { output } = await started(([program = '', ...args]) => [program, ...args]);
  expect(output()).toContain(WARNING);
  expect(output()).not.toContain('set-up?t=');
});
