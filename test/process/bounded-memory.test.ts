/**
 * The background runs of a node need as little memory for a large database as for a small one. `LEDGER_ENTRIES=10000000 GRANTS=1000000
 * HEAP_MEGABYTES=512` in the environment sets the whole size, which takes hours and some 10 GB of disk.
 */
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { sealKeys } from '../../src/crypto/ledger-seal.ts';
import { rootKeys } from '../../src/crypto/root-secret.ts';
import { MOST_LINES } from '../../src/ledger/seal.ts';
import { sealStanding } from '../../src/storage/ledger-seals.ts';
import { databaseClock } from '../../src/system/clock.ts';
import { HANGS_MILLISECONDS } from '../../vitest.config.ts';
import { startChild, waiting } from '../support/child-process.ts';
import { openTestDatabase } from '../support/database.ts';

const entries = Number(process.env['LEDGER_ENTRIES'] ?? 60_000);
const grants = Number(process.env['GRANTS'] ?? 10_000);
/** Of the old space alone: a node itself takes some 40 MB of it. */
const heap = Number(process.env['HEAP_MEGABYTES'] ?? 64);
/** The whole size takes longer than the limit of all tests; 0 is none. */
const LIMIT_MILLISECONDS = process.env['LEDGER_ENTRIES'] === undefined ? HANGS_MILLISECONDS : 0;
const SECRET = 'a-root-secret-for-tests-of-more-than-32-bytes';

it(
  'a node seals all unordered entries, and removes all ended grants, within a bound on its memory',
  async () => {
    const { database, url, close } = await openTestDatabase('postgres');
    const db = database.drizzle;
    try {
      await db.transaction(async (before) => {
        await before.execute(sql`set local session_replication_role = replica`);
        await before.execute(sql`set local statement_timeout = 0`);
        // Some of one instant, as an import wrote them; a segment still has a bound.
        await before.execute(sql`insert into transitions (shard_key, at, machine, event, from_state, to_state, reason, client_id, recorded_in, position)
        select gen_random_uuid(), now() - (n / 3000) * interval '1 millisecond', 'refreshToken', 'presented', 'active', 'used', n::text, 'shop', '0', 0
        from generate_series(1, ${entries}) n`);
        await before.execute(sql`insert into grants (id, client_id, user_id, policy, scope, resources, redirect_uri,
          state, code_ends_at, created_at, code_hash, code_challenge, user_epoch, client_epoch, server_epoch)
        select gen_random_uuid(), 'none', gen_random_uuid(), 'p', '{}', '{}', 'https://app.example/cb', 'active',
          now() - interval '1 day', now() - interval '2 days' + (n / 8000) * interval '1 microsecond', '', 'x', 0, 0, 0
        from generate_series(1, ${grants}) n`);
      });
      const child = startChild(
        process.execPath,
        [...waiting(), `--max-old-space-size=${heap}`, fileURLToPath(new URL('rounds-at-work.ts', import.meta.url))],
        { env: { PATH: process.env['PATH'], DATABASE_URL: url, STATEHOUSE_SECRET: SECRET } },
      );
      const { stdout, stderr } = child;
      if (stdout === null || stderr === null) throw new Error('no output');
      const [out, errors] = [text(stdout), text(stderr)];
      const [status] = await once(child, 'exit');
      expect(await errors).toBe('');
      expect(status).toBe(0);
      const did = JSON.parse(await out);
      if (process.env['LEDGER_ENTRIES']) process.stdout.write(`${JSON.stringify(did)}\n`);
      expect(did).toMatchObject({ entries, removed: grants });
      expect(did.largest).toBeLessThanOrEqual(MOST_LINES);
      const keys = sealKeys(rootKeys([SECRET]));
      expect(await sealStanding(db, databaseClock, keys)).toMatchObject({ newest: did.segments });
    } finally {
      await close();
    }
  },
  LIMIT_MILLISECONDS,
);
