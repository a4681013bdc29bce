/** A process that seals and cleans up the database of DATABASE_URL until no row is left to process. Prints what it did. */
import { sql } from 'drizzle-orm';
import { ledgerRounds } from '../../src/boot/ledger.ts';
import type { Configuration } from '../../src/config/configuration.ts';
import { rootKeys } from '../../src/crypto/root-secret.ts';
import { housekeeper } from '../../src/storage/housekeeping.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { transitions } from '../../src/storage/schema.ts';
import { databaseClock } from '../../src/system/clock.ts';

const database = openPostgres(process.env['DATABASE_URL'] ?? '', { connections: 2 });
const keys = rootKeys([process.env['STATEHOUSE_SECRET'] ?? '']);
const sealed = { segments: 0, entries: 0, largest: 0 };
const logger = {
  info: ({ lines }: { lines: number }) => {
    sealed.segments += 1;
    sealed.entries += lines;
    sealed.largest = Math.max(sealed.largest, lines);
  },
  warn: (facts: object) => void process.stderr.write(JSON.stringify(facts)),
  error: (facts: object) => void process.stderr.write(JSON.stringify(facts)),
};
const configuration = () => ({ ledger: { keptDays: 90 } }) as Configuration;
const round = ledgerRounds({ database, keys }, configuration, logger as never, { partialAfterMilliseconds: 0 });
const { cleanUp } = housekeeper(database.drizzle, databaseClock);

const begun = performance.now();
const all = await database.drizzle.$count(
  transitions,
  sql`${transitions.recordedIn} < pg_snapshot_xmin(pg_current_snapshot())`,
);
while (sealed.entries < all) await round();
const sealingSeconds = (performance.now() - begun) / 1000;
let removed = 0;
for (let passBeganAt: number | null = null; passBeganAt === null; ) {
  const cleanedUp = await cleanUp();
  removed += cleanedUp.removed;
  passBeganAt = cleanedUp.passBeganAt;
}
const housekeepingSeconds = (performance.now() - begun) / 1000 - sealingSeconds;
await database.close();
const peakMegabytes = process.resourceUsage().maxRSS / 1024;
process.stdout.write(JSON.stringify({ ...sealed, removed, peakMegabytes, sealingSeconds, housekeepingSeconds }));
