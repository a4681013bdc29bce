/** "statehouse ledger": the public keys, an export, and the verification of both. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { sealKeys } from '../../../src/crypto/ledger-seal.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import { exportLedger } from '../../../src/ledger/export.ts';
import type { Head } from '../../../src/ledger/newest.ts';
import { keepLedgerPartitions } from '../../../src/storage/ledger-partitions.ts';
import { storedLedger } from '../../../src/storage/ledger-seals.ts';
import { databaseClock } from '../../../src/system/clock.ts';
import { clockAt } from '../../support/clock.ts';
import { openTestDatabase } from '../../support/database.ts';
import { lineNamed, sealAll, writeLines } from '../../support/ledger.ts';
import { testKeys } from '../../support/macs.ts';
import { type CommandLine, openCommandLine } from './command-line.ts';

let folder: string;
let cli: CommandLine;
let head: Head;
let keysFile: string;
const db = () => cli.runtime.database.drizzle;
const DAYS = ['2026-03-01', '2026-03-02', '2026-03-03'];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'statehouse-ledger-'));
  cli = await openCommandLine();
  await keepLedgerPartitions(db(), databaseClock);
  await db().execute(sql`delete from ledger_seals`);
  // The command line's own entries, and two entries in each of three segments.
  for (const [n, day] of DAYS.entries()) {
    await writeLines(db(), [`${n} first`, `${n} "quoted", ünïcode`], new Date(`${day}T10:00:00Z`));
    const clock = clockAt(new Date(`${day}T12:00:00Z`));
    const closed = await sealAll(db(), { clock });
    head = closed.at(-1) ?? head;
  }
  keysFile = join(folder, 'keys.json');
  writeFileSync(keysFile, (await cli.run(['ledger', 'keys'])).out);
});
afterAll(async () => {
  await cli.close();
  rmSync(folder, { recursive: true });
});

const named = () => `${head.number}:${head.digest}`;

describe('ledger verify', () => {
  test('reports an intact ledger, with its newest segment', async () => {
    const { status, out } = await cli.run(['ledger', 'verify', '--head', named()]);
    expect(out).toContain('nothing was changed, added or removed\n');
    expect(out).toContain(`the newest segment is ${named()}, closed at 2026-03-03T12:00:00.000Z\n`);
    expect(status).toBe(0);
    const { out: document } = await cli.run(['ledger', 'verify', '--json']);
    expect(JSON.parse(document)).toMatchObject({ verified: true, problems: [], segments: 3, head: { segment: 3 } });
  });

  test('exits with 1 where the latest seal differs, and where an entry was changed, which it names', async () => {
    const other = `3:${'0'.repeat(64)}`;
    expect(await cli.run(['ledger', 'verify', '--head', other])).toMatchObject({
      status: 1,
      out: expect.stringContaining('segment 3 is not what --head names'),
    });
    const line = await lineNamed(db(), '1 first');
    const set = (reason: string) =>
      db().transaction(async (transaction) => {
        await transaction.execute(sql`set local session_replication_role = replica`);
        await transaction.execute(
          sql`update transitions set reason = ${reason} where position = ${line.split('/')[1]}::bigint`,
        );
      });
    await set('forged');
    const { status, out, err } = await cli.run(['ledger', 'verify']);
    await set('1 first');
    expect({ status, out, err }).toMatchObject({
      status: 1,
      out: expect.stringContaining(`segment 2: line ${line} (2026-03) was changed\n`),
      err: 'The ledger is not as it was written: 1 problem. See docs/ledger.md.\n',
    });
    expect((await cli.run(['ledger', 'verify'])).status).toBe(0);
  });

  test.each([
    [['--head', '3'], /Expected --head as NUMBER:DIGEST/],
    [['--key', '/no/such/file'], /No such file/],
    [['--trust', 'ledger-keys.json'], /Expected --trust as "kid" of "statehouse ledger keys"/],
    [['/no/such/file', '--key', 'KEYS'], /No such file/],
  ])('rejects %j with a message', async (args, words) => {
    const { status, err } = await cli.run([
      'ledger',
      'verify',
      ...args.map((arg) => (arg === 'KEYS' ? keysFile : arg)),
    ]);
    expect(status).toBe(1);
    expect(err).toMatch(words);
  });
});

describe('a replaced or lost root secret', () => {
  test('leaves segments that the former keys verify, by file or by thumbprint', async () => {
    const before = rootKeys(['a root secret of before, which was lost since']);
    const lost = await openCommandLine();
    onTestFinished(() => lost.close());
    const { drizzle } = lost.runtime.database;
    await writeLines(drizzle, ['sealed under the root secret of before']);
    await sealAll(drizzle, { keys: before });
    const file = join(folder, 'keys-of-before.json');
    writeFileSync(file, JSON.stringify({ keys: sealKeys(before).published }));

    const { kid, publicKey } = sealKeys(before);
    const { status, out, err } = await lost.run(['ledger', 'verify', '--json']);
    expect(status).toBe(3);
    expect(JSON.parse(out)).toMatchObject({
      verified: false,
      problems: [{ problem: 'key_unknown', segment: 1, key: kid, public_key: publicKey }],
    });
    expect(err).toContain('1 segment is signed by a key that is not among those you trust');
    for (const pinned of [
      ['--key', file],
      ['--trust', kid],
    ]) {
      expect(await lost.run(['ledger', 'verify', ...pinned])).toMatchObject({
        status: 0,
        out: expect.stringContaining('nothing was changed, added or removed'),
      });
    }
    expect((await lost.run(['ledger', 'verify', '--key', keysFile])).status).toBe(3);
  });
});

describe('an export', () => {
  const exported = async (...args: string[]) => {
    const { status, out, err } = await cli.run(['ledger', 'export', ...args]);
    expect({ status, err }).toEqual({ status: 0, err: '' });
    return out;
  };
  const verifying = (text: string, ...args: string[]) => {
    const file = join(folder, 'export.jsonl');
    writeFileSync(file, text);
    return cli.run(['ledger', 'verify', file, '--key', keysFile, ...args]);
  };

  test('has each entry as JSON, and is verified with the public key alone', async () => {
    const text = await exported();
    const records = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(records.filter((record) => 'seal' in record)).toHaveLength(3);
    expect(records[0]).toMatchObject({ at: '2026-03-01T10:00:00+00:00', machine: 'refreshToken', reason: '0 first' });
    const { status, out } = await verifying(text, '--head', named());
    expect(out).toContain('3 segments, the first is 1; 6 lines in them\n');
    expect(out).toContain('nothing was changed, added or removed\n');
    expect(status).toBe(0);
  });

  test('by instants has the whole segments of that time', async () => {
    const text = await exported('--from', '2026-03-02', '--to', '2026-03-02T12:00:00Z');
    expect(await verifying(text)).toMatchObject({
      status: 0,
      out: expect.stringContaining('1 segments, the first is 2'),
    });
    expect(await exported('--from', '2027-01-01')).toBe('');
    for (const args of [
      ['--from', 'yesterday'],
      ['--from', '2026-03-02', '--to', '2026-03-01'],
    ]) {
      expect(await cli.run(['ledger', 'export', ...args])).toMatchObject({ status: 1, out: '' });
    }
  });

  test('is rejected after tampering: an entry changed, removed, added or moved; a segment changed, removed or cut off', async () => {
    const text = await exported();
    const lines = text.trimEnd().split('\n');
    const [a = '', b = '', first = '', c = '', d = '', second = '', ...third] = lines;
    const changes: Record<string, readonly [readonly string[], RegExp]> = {
      changed: [[a.replace('first', 'last'), ...lines.slice(1)], /segment 1: line \d+\/\d+ \(2026-03\) was changed/],
      'written again': [[JSON.stringify(JSON.parse(a)), ...lines.slice(1)], /segment 1: line .* was changed/],
      removed: [lines.slice(1), /segment 1: line .* was removed/],
      added: [[a, ...lines], /segment 1: line .* was added/],
      moved: [
        [b, first, a, c, d, second, ...third],
        /segment 1: line .* was removed[\s\S]*segment 2: line .* was added/,
      ],
      'a segment changed': [
        [a, b, first.replace('kept_days\\":90', 'kept_days\\":91'), ...lines.slice(3)],
        /segment 1 was changed/,
      ],
      'a segment removed': [[a, b, first, ...third], /segment 2 was removed/],
      'a segment without its seal': [[a, b, first, c, d, ...third], /segment 2 was removed/],
      'cut off': [lines.slice(0, -1), /no segment: line .* was added/],
      'cut off after a segment': [lines.slice(0, 6), /segment 3 was removed/],
      'twice the same': [[...lines.slice(0, 3), ...lines.slice(0, 3), ...lines.slice(3)], /one of them was replaced/],
    };
    for (const [what, [changed, words]] of Object.entries(changes)) {
      const { status, out } = await verifying(`${changed.join('\n')}\n`, '--head', named());
      expect({ what, status, found: words.test(out), out }).toMatchObject({ what, status: 1, found: true });
    }
  });

  test('is not verified without keys, with other keys, or in another format', async () => {
    const text = await exported();
    const file = join(folder, 'whole.jsonl');
    writeFileSync(file, text);
    expect(await cli.run(['ledger', 'verify', file], { env: {} })).toMatchObject({
      status: 1,
      err: expect.stringContaining('No trusted keys.'),
    });
    const withSecret = (secret: string) => cli.run(['ledger', 'verify', file], { env: { STATEHOUSE_SECRET: secret } });
    expect(await withSecret('another-root-secret-which-knows-nothing-of-it')).toMatchObject({
      status: 3,
      out: expect.stringContaining(
        `segment 1 is signed by the key ${sealKeys(testKeys).kid}, which is not among those you trust`,
      ),
      err: expect.stringContaining('Nothing was found to be changed, and 3 segments are signed by a key'),
    });
    expect(await cli.run(['ledger', 'verify', file, '--trust', sealKeys(testKeys).kid], { env: {} })).toMatchObject({
      status: 0,
      out: expect.stringContaining('nothing was changed'),
    });
    const secret = 'one-more-root-secret-for-tests-of-32-octets';
    const { database, close } = await openTestDatabase('embedded');
    await writeLines(database.drizzle, ['a']);
    await sealAll(database.drizzle, { keys: rootKeys([secret]) });
    writeFileSync(file, '');
    await exportLedger(storedLedger(database.drizzle, databaseClock), { from: null, to: null }, (lines) =>
      appendFileSync(file, lines),
    );
    await close();
    expect(await withSecret(secret)).toMatchObject({ status: 0, out: expect.stringContaining('1 lines in them') });
    expect(await verifying('{"hello":"there"}\n')).toMatchObject({
      status: 1,
      err: expect.stringContaining('line 1:'),
    });
    writeFileSync(file, '{"keys":[{"kty":"EC"}]}');
    expect(await cli.run(['ledger', 'verify', '--key', file])).toMatchObject({
      status: 1,
      err: expect.stringContaining('expected a JWK Set'),
    });
    // A kid is computed, so another key cannot pass under the name of ours.
    const { keys } = JSON.parse(readFileSync(keysFile, 'utf8'));
    expect(keys).toEqual([{ kty: 'OKP', crv: 'Ed25519', x: expect.any(String), kid: expect.any(String) }]);
    expect(keys[0]).not.toHaveProperty('d');
  });
});
