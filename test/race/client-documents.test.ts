/** One unseen document that many requests name together, at two nodes. */
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientDocuments, clients } from '../../src/storage/schema.ts';
import { authorizeUrl, exchange, goThrough, makePkce } from '../support/actors.ts';
import { Browser } from '../support/browser.ts';
import { acceptingDocuments, clientAt, documentOf, documentServer, ORIGIN, sent } from '../support/client-documents.ts';
import { type Nodes, openNodes } from '../support/nodes.ts';

const ROUNDS = 5;
const TOGETHER = 8;

describe('an unseen document at two nodes', () => {
  const server = documentServer();
  let scene: Nodes;
  beforeAll(async () => {
    scene = await openNodes({
      configuration: acceptingDocuments(),
      fetchClientDocument: server.fetchClientDocument,
    });
  });
  afterAll(() => scene.close());

  it('registers one client, and each request continues to a code', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const url = `${ORIGIN}/${round}.json`;
      const client = clientAt(url);
      server.say(url, sent(documentOf(url)));
      const codes = await Promise.all(
        Array.from({ length: TOGETHER }, async (_, n) => {
          const pkce = makePkce();
          const browser = new Browser(scene.nodes[n % 2 === 0 ? 0 : 1].app, `198.51.100.${n + 1}`);
          const { url: back } = await goThrough(browser, authorizeUrl(client, pkce), scene.user);
          return { code: new URL(back).searchParams.get('code') ?? '', verifier: pkce.verifier };
        }),
      );
      for (const code of codes) expect((await exchange(scene.nodes[1], client, code)).status).toBe(200);
      const { drizzle } = scene.database;
      expect(await drizzle.select().from(clientDocuments).where(eq(clientDocuments.clientId, url))).toMatchObject([
        { state: 'known' },
      ]);
      expect(await drizzle.select().from(clients).where(eq(clients.clientId, url))).toMatchObject([
        { registeredBy: 'self', epoch: 0n },
      ]);
    }
  });
});
