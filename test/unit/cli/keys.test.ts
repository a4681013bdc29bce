import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { passTime } from '../../../src/lifecycles/signing-key/lifecycle.ts';
import { signingKeys } from '../../../src/storage/schema.ts';
import { databaseClock } from '../../../src/system/clock.ts';
import { keysOf, storedKeys } from '../../support/signing-keys.ts';
import { unheld } from '../../support/unheld.ts';
import { type CommandLine, openCommandLine, ways } from './command-line.ts';

describe.each(ways)('keys, through the %s', (way) => {
  let line: CommandLine;
  /** As after the first start. */
  beforeEach(async () => {
    line = await openCommandLine(undefined, way);
    await passTime(keysOf(db(), databaseClock, { algorithms: ['ES256', 'RS256'] }));
  });
  afterEach(() => line.close());

  const db = () => line.runtime.database.drizzle;
  const states = async () => (await storedKeys(db())).map(({ alg, state }) => `${alg} ${state}`);
  const kidOf = async (alg: string, state: string) =>
    (await storedKeys(db())).find((one) => one.alg === alg && one.state === state)?.kid ?? 'none';
  const MINUTE = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d UTC`;

  describe('keys list', () => {
    it('shows each key, its start, and its next step with the time', async () => {
      await line.run(['keys', 'rotate', '--alg', 'ES256']);
      await line.run(['keys', 'rotate', '--alg', 'RS256', '--now']);
      await line.run(['keys', 'revoke', await kidOf('RS256', 'signing')]);
      const { status, out, err } = await line.run(['keys', 'list']);
      expect({ status, err }).toEqual({ status: 0, err: '' });
      const rows = [
        ['ES256', 'published', `${MINUTE}: signs`],
        ['ES256', 'signing', `${MINUTE}: hands over to its successor`],
        ['RS256', 'signing', `${MINUTE}: publishes its successor`],
        ['RS256', 'retiring', `${MINUTE}: leaves the JWKS: its last token has expired`],
        ['RS256', 'retired', 'revoked'],
      ];
      expect(out).toMatch(/^KID +ALG +STATE +SINCE +NEXT\n/);
      expect(out.trim().split('\n')).toHaveLength(rows.length + 1);
      for (const [alg = '', state = '', next] of rows) {
        expect(out).toMatch(new RegExp(`^${await kidOf(alg, state)} +${alg} +${state} +${MINUTE} +${next}$`, 'm'));
      }
    });

    it('prints machine-readable instants, and no private half', async () => {
      const [before] = await storedKeys(db());
      const { out } = await line.run(['keys', 'list', '--json']);
      const { keys } = JSON.parse(out);
      expect(keys).toHaveLength(2);
      const began = before?.beganSigningAt?.getTime() ?? 0;
      expect(keys).toContainEqual({
        kid: before?.kid,
        alg: before?.alg,
        state: 'signing',
        since: new Date(began).toISOString(),
        next: { at: new Date(began + (90 * 86_400 - 86_400 - 60) * 1000).toISOString(), what: 'publishes' },
        reason: null,
      });
      expect(out).not.toContain(before?.privateJwe);
    });

    it('reports that no key exists yet', async () => {
      await unheld(db(), (own) => own.delete(signingKeys));
      expect((await line.run(['keys', 'list'])).out).toMatch(/^No keys yet/);
    });
  });

  describe('keys rotate', () => {
    it('publishes a successor of each algorithm, once', async () => {
      const first = await line.run(['keys', 'rotate']);
      expect(first).toMatchObject({ status: 0, err: '' });
      expect(first.out).toMatch(/A successor signs 1 day \(86400 s\) after its publication/);
      for (const alg of ['ES256', 'RS256'])
        expect(first.out).toContain(`published  ${await kidOf(alg, 'published')}  (${alg})\n`);
      const before = await storedKeys(db());
      expect((await line.run(['keys', 'rotate'])).out).toBe('unchanged  a successor waits already\n');
      expect(await storedKeys(db())).toEqual(before);
      expect((await states()).sort()).toEqual(['ES256 published', 'ES256 signing', 'RS256 published', 'RS256 signing']);
    });

    it('rotates one algorithm immediately, with a warning about caches', async () => {
      const old = await kidOf('ES256', 'signing');
      const { status, out, err } = await line.run(['keys', 'rotate', '--alg', 'ES256', '--now']);
      const fresh = await kidOf('ES256', 'signing');
      expect({ status, out }).toEqual({
        status: 0,
        out: `published  ${fresh}  (ES256)\nretiring   ${old}  (ES256)\nsigns      ${fresh}  (ES256)\n`,
      });
      expect(err).toMatch(/^warning: APIs that cache the JWKS refuse/);
      expect((await states()).sort()).toEqual(['ES256 retiring', 'ES256 signing', 'RS256 signing']);
    });

    it('prints machine-readable output', async () => {
      const { out } = await line.run(['keys', 'rotate', '--alg', 'ES256', '--now', '--json']);
      const [old, fresh] = [await kidOf('ES256', 'retiring'), await kidOf('ES256', 'signing')];
      expect(JSON.parse(out)).toEqual({
        changes: [
          { kid: fresh, alg: 'ES256', from: null, to: 'published', reason: null },
          { kid: old, alg: 'ES256', from: 'signing', to: 'retiring', reason: null },
          { kid: fresh, alg: 'ES256', from: 'published', to: 'signing', reason: null },
        ],
      });
    });

    it('rejects an algorithm outside the policy, and an unknown one', async () => {
      const before = await storedKeys(db());
      expect(await line.run(['keys', 'rotate', '--alg', 'EdDSA'])).toEqual({
        status: 1,
        out: '',
        err: 'signing-keys.yaml does not name EdDSA; it names ES256, RS256. Nothing was changed.\n',
      });
      expect(await line.run(['keys', 'rotate', '--alg', 'none'])).toMatchObject({ status: 1, out: '' });
      expect(await storedKeys(db())).toEqual(before);
    });
  });

  describe('keys revoke', () => {
    it('ends the signer, starts another key, and is idempotent', async () => {
      const leaked = await kidOf('ES256', 'signing');
      const { status, out, err } = await line.run(['keys', 'revoke', leaked]);
      const fresh = await kidOf('ES256', 'signing');
      expect({ status, out }).toEqual({
        status: 0,
        out: `published  ${fresh}  (ES256)\nrevoked    ${leaked}  (ES256)\nsigns      ${fresh}  (ES256)\n`,
      });
      expect(err).toBe('warning: APIs that cache the JWKS may accept the key for another 5 minutes (300 s)\n');
      const before = await storedKeys(db());
      expect(await line.run(['keys', 'revoke', leaked])).toEqual({
        status: 0,
        out: `unchanged  ${leaked}  (had retired already)\n`,
        err: '',
      });
      expect(JSON.parse((await line.run(['keys', 'revoke', leaked, '--json'])).out)).toEqual({
        kid: leaked,
        outcome: 'unchanged',
        changes: [],
      });
      expect(await storedKeys(db())).toEqual(before);
    });

    it('reports an unknown key', async () => {
      const before = await storedKeys(db());
      expect(await line.run(['keys', 'revoke', 'no\nbody'])).toEqual({
        status: 1,
        out: '',
        err: 'No such key: "no\\u{a}body". "statehouse keys list" shows the keys.\n',
      });
      expect(await storedKeys(db())).toEqual(before);
    });
  });
});
