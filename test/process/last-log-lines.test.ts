/** Log lines go out in blocks. The real process loses none of them at its end. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { becomesReady, killChild, outputOf, preload, START, startChild, waiting } from '../support/child-process.ts';
import { giveDatabase } from '../support/embedded-folder.ts';
import { freePort } from '../support/listening.ts';

const LOGGER = pathToFileURL(new URL('../../src/system/logger.ts', import.meta.url).pathname).href;
const LOG = `import { makeLogger } from '${LOGGER}'; makeLogger({ level: 'info', readable: false }).info('the last line');`;

type Line = { readonly msg: string; readonly route?: string };

const linesIn = (output: string): Line[] =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

it.each([
  ['returns', ''],
  ['exits', 'process.exit(1);'],
  ['throws', `throw new Error('no handler catches this');`],
  ['rejects', `Promise.reject(new Error('no handler catches this'));`],
])('a process that logs and %s writes the line', async (_, end) => {
  const child = startChild(process.execPath, ['--input-type=module', '--eval', `${LOG} ${end}`], { env: {} });
  const output = outputOf(child);
  await once(child, 'close');
  expect(linesIn(output())).toMatchObject([{ msg: 'the last line' }]);
});

describe('the lines of the last requests', () => {
  // Without it, a server outside production logs JSON, as in production.
  const withoutReadableLines = `
    import { registerHooks } from 'node:module';
    registerHooks({
      resolve(specifier, context, next) {
        if (specifier === 'pino-pretty') throw Object.assign(new Error('no such package'), { code: 'MODULE_NOT_FOUND' });
        return next(specifier, context);
      },
    });
  `;

  async function start(): Promise<{ server: ChildProcess; origin: string; printed: () => string }> {
    const folder = mkdtempSync(join(tmpdir(), 'statehouse-process-'));
    giveDatabase(join(folder, '.statehouse'));
    const origin = `http://127.0.0.1:${await freePort()}`;
    const env = { PATH: process.env['PATH'] ?? '', PORT: new URL(origin).port, HOST: '127.0.0.1' };
    const throwing = `process.on('SIGUSR2', () => { throw new Error('no handler catches this'); });`;
    const args = [...waiting(), ...preload(withoutReadableLines), ...preload(throwing), ...START];
    const server = startChild(process.execPath, args, { cwd: folder, env });
    onTestFinished(async () => {
      await killChild(server);
      rmSync(folder, { recursive: true, force: true });
    });
    const printed = outputOf(server);
    await becomesReady(server, origin, printed);
    return { server, origin, printed };
  }

  it.each([
    ['SIGTERM', 0, 'closing: finishing the requests in flight'],
    ['SIGUSR2', 1, 'uncaught error; closing: finishing the requests in flight'],
  ] as const)('are written when %s ends the process', async (signal, status, words) => {
    const { server, origin, printed } = await start();
    const closed = once(server, 'close');
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => fetch(`${origin}/.well-known/jwks.json?${n}`)),
    );
    server.kill(signal);
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect((await closed)[0]).toBe(status);
    const lines = linesIn(printed());
    const requests = lines.filter(({ route }) => route === '/.well-known/jwks.json');
    expect(requests).toHaveLength(20);
    expect(lines.map(({ msg }) => msg)).toContain(words);
  });
});
