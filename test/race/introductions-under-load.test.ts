/**
 * Clients that introduce themselves at two nodes, without end: by documents and by registrations, of which some are deleted. The tables stay
 * within their rules, and housekeeping empties them. `INTRODUCTION_SECONDS=600` runs it for ten minutes.
 */
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { housekeeper } from '../../src/storage/housekeeping.ts';
import { clientDocuments, clientRegistrations, clients } from '../../src/storage/schema.ts';
import { databaseClock } from '../../src/system/clock.ts';
import { authorizeUrl, makePkce } from '../support/actors.ts';
import { shippedConfiguration } from '../support/app.ts';
import { Browser } from '../support/browser.ts';
import { clientAt, RULES as DOCUMENTS, documentOf, ORIGIN, sent } from '../support/client-documents.ts';
import { manage, RULES as REGISTRATIONS, register } from '../support/client-registrations.ts';
import { testClock } from '../support/clock.ts';
import { type Nodes, openNodes } from '../support/nodes.ts';
import { unheld } from '../support/unheld.ts';

const MOST = 20;
const TOGETHER = 8;
/** Without a time: as many rounds as fill the tables, empty them, and fill them again. */
const ROUNDS = 24;
const MILLISECONDS = Number(process.env['INTRODUCTION_SECONDS'] ?? 0) * 1000;
const LONG_AGO = sql`now() - interval '40 days'`;

describe('clients that introduce themselves without end', () => {
  let scene: Nodes;
  beforeAll(async () => {
    scene = await openNodes({
      clock: testClock(new Date()),
      configuration: {
        ...shippedConfiguration,
        registration: {
          metadataDocuments: { ...DOCUMENTS, maxDocuments: MOST },
          dynamicRegistration: { ...REGISTRATIONS, maxRegistrations: MOST },
        },
      },
      // Each URL has a valid document.
      fetchClientDocument: async (url) => sent(documentOf(url)),
    });
  });
  afterAll(() => scene.close());

  const db = () => scene.database.drizzle;
  async function stored() {
    const count = async (table: typeof clients | typeof clientDocuments | typeof clientRegistrations) =>
      db().$count(table);
    const strangers = await db().$count(clients, eq(clients.registeredBy, 'self'));
    return { strangers, documents: await count(clientDocuments), registrations: await count(clientRegistrations) };
  }

  let serial = 0;
  /** Another address each time, so that the rates bound nothing. @returns the status */
  async function introduced(): Promise<number> {
    const n = ++serial;
    const node = scene.nodes[n % 2 === 0 ? 0 : 1];
    const address = `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
    if (n % 3 === 0) {
      const client = clientAt(`${ORIGIN}/${n}.json`);
      return (await new Browser(node.app, address).get(authorizeUrl(client, makePkce()))).status;
    }
    const registered = await register(node, {}, { remoteAddress: address });
    if (registered.status === 201 && n % 5 === 0) await manage(node, registered, { method: 'DELETE' });
    return registered.status;
  }

  /** As after the days of the rules. */
  async function age(): Promise<void> {
    await unheld(db(), async (own) => {
      await own.update(clientDocuments).set({ fetchedAt: LONG_AGO, freshUntil: LONG_AGO });
      await own.update(clientRegistrations).set({ createdAt: LONG_AGO, unusedUntil: LONG_AGO });
      await own.update(clients).set({ createdAt: LONG_AGO }).where(eq(clients.registeredBy, 'self'));
    });
  }

  it(
    'fill no table beyond its rules, and leave nothing once they are unused',
    async () => {
      const until = performance.now() + MILLISECONDS;
      const answers = new Map<number, number>();
      let most = { strangers: 0, documents: 0, registrations: 0 };
      let emptied = 0;
      for (let round = 1; round <= ROUNDS || performance.now() < until; round++) {
        const statuses = await Promise.all(Array.from({ length: TOGETHER }, introduced));
        for (const status of statuses) answers.set(status, (answers.get(status) ?? 0) + 1);
        const now = await stored();
        most = {
          strangers: Math.max(most.strangers, now.strangers),
          documents: Math.max(most.documents, now.documents),
          registrations: Math.max(most.registrations, now.registrations),
        };
        if (round % (ROUNDS / 2) !== 0) continue;
        await age();
        await housekeeper(db(), databaseClock).cleanUp();
        await housekeeper(db(), databaseClock).cleanUp();
        expect(await stored()).toEqual({ strangers: 0, documents: 0, registrations: 0 });
        emptied++;
      }
      // Commits that meet exceed a rule by their number.
      expect(most.documents).toBeLessThanOrEqual(MOST + TOGETHER);
      expect(most.registrations).toBeLessThanOrEqual(MOST + TOGETHER);
      expect(most.strangers).toBeLessThanOrEqual(2 * (MOST + TOGETHER));
      expect([most.documents >= MOST, most.registrations >= MOST]).toEqual([true, true]);
      expect(emptied).toBeGreaterThan(1);
      // Accepted, refused as a page, refused as JSON.
      expect([...answers.keys()].toSorted()).toEqual([200, 201, 400, 503]);
      if (MILLISECONDS > 0)
        process.stdout.write(`${serial} introductions, emptied ${emptied} times: ${JSON.stringify(most)}\n`);
    },
    MILLISECONDS + 600_000,
  );
});
