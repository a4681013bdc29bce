/** docs/ledger.md, "A time stamp": the blocks of the page, typed into a shell, with a time-stamping authority (TSA) of this test. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { ledgerRounds } from '../../src/boot/ledger.ts';
import { makeLogger } from '../../src/system/logger.ts';
import { settled, writeLines } from '../support/ledger.ts';
import { openCommandLine } from '../unit/cli/command-line.ts';
import { Shell, shellBlocks } from './shell-blocks.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/ledger.md'), 'utf8');
const [stamp = [], check = [], ...more] = shellBlocks(PAGE)
  .filter(({ under }) => under === 'A time stamp')
  .map(({ statements }) => statements);

const isInstalled = (tool: string): boolean => {
  try {
    execFileSync(tool, [tool === 'openssl' ? 'version' : '--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** @returns the URL where it answers RFC 3161 requests. Its certificate is tsa-ca.pem in the folder. */
async function timeStampingAuthority(folder: string): Promise<string> {
  const openssl = (args: string) => execFileSync('openssl', args.split(' '), { cwd: folder, stdio: 'ignore' });
  const section = ['default_policy = 1.3.6.1.4.1.99999.1', 'signer_digest = sha256', 'digests = sha256'];
  writeFileSync(
    join(folder, 'tsa.cnf'),
    ['[tsa]', 'serial = ./serial', ...section, 'ess_cert_id_alg = sha256', ''].join('\n'),
  );
  openssl(
    'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=TSA -addext extendedKeyUsage=critical,timeStamping -keyout tsa.key -out tsa-ca.pem',
  );
  const server = createServer(async (request, response) => {
    const isQuery = request.method === 'POST' && request.headers['content-type'] === 'application/timestamp-query';
    if (!isQuery) return response.writeHead(400).end();
    writeFileSync(join(folder, 'received.tsq'), await buffer(request));
    openssl(
      'ts -reply -config tsa.cnf -section tsa -queryfile received.tsq -signer tsa-ca.pem -inkey tsa.key -out made.tsr',
    );
    return response
      .setHeader('content-type', 'application/timestamp-reply')
      .end(readFileSync(join(folder, 'made.tsr')));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

it.runIf(['openssl', 'curl', 'jq'].every(isInstalled))(
  'the guide time-stamps the log line of a seal, and detects a line that was changed since',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'statehouse-stamped-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const cli = await openCommandLine();
    onTestFinished(() => cli.close());

    // A server seals, and logs that.
    const { database } = cli.runtime;
    await writeLines(database.drizzle, ['stamped']);
    await settled(database.drizzle);
    const logger = makeLogger({
      level: 'info',
      readable: false,
      destination: { write: (text) => appendFileSync(join(folder, 'server.log'), text) },
    });
    await ledgerRounds(cli.runtime, () => cli.runtime.configuration, logger, { partialAfterMilliseconds: 0 })();

    const url = await timeStampingAuthority(folder);
    const shell = new Shell(folder, folder, { PATH: process.env['PATH'] ?? '', HOME: folder });
    const type = (statement: string) =>
      shell.run(
        `set -o pipefail; ${statement.replace('https://tsa.example.com/', url).replace('npx statehouse', 'echo statehouse')}`,
      );
    expect(more).toEqual([]);
    const printed: string[] = [];
    for (const statement of [...stamp, ...check]) {
      const { status, printed: text } = await type(statement);
      expect(status, `${statement}\n${text}`).toBe(0);
      printed.push(text);
    }
    expect(printed.filter((text) => text.includes('Verification: OK'))).toHaveLength(2);

    // The command that the page ends with, as the shell would have started it.
    const args = (printed.at(-1) ?? '').trim().split(' ').slice(1);
    expect(args).toEqual(['ledger', 'verify', '--head', expect.stringMatching(/^1:[0-9a-f]{64}$/)]);
    expect(await cli.run(args)).toMatchObject({ status: 0, out: expect.stringContaining('nothing was changed') });

    appendFileSync(join(folder, 'seal.json'), ' ');
    const { status, printed: failed } = await type(check[0] ?? '');
    expect(failed).toContain('Verification: FAILED');
    expect(status).not.toBe(0);
  },
);
