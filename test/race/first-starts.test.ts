/** Several nodes that start concurrently on an empty database: one migration, one signing key of each algorithm. */
import { decodeProtectedHeader } from 'jose';
import { describe, expect, it } from 'vitest';
import { openPostgres } from '../../src/storage/postgres.ts';
import { listSigningKeys } from '../../src/storage/signing-keys.ts';
import { makeClient, token } from '../support/actors.ts';
import { openTestApp } from '../support/app.ts';
import { createEmptyDatabase } from '../support/database.ts';

const NODES = 5;
const ROUNDS = 5;

describe('nodes that start concurrently on an empty database', () => {
  it('make one signing key of each algorithm, and all sign with it', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { url, drop } = await createEmptyDatabase();
      const databases = Array.from({ length: NODES }, () => openPostgres(url, { connections: 2 }));
      try {
        const nodes = await Promise.all(
          databases.map(async (database) => {
            await database.migrate();
            return openTestApp(database, { ownSigningKeys: true });
          }),
        );
        const [first] = nodes;
        if (!first) throw new Error('no node');
        const keys = await listSigningKeys(first.database.drizzle);
        expect(keys.map((one) => `${one.alg} ${one.state}`).sort()).toEqual(['ES256 signing', 'RS256 signing']);
        const signer = keys.find((one) => one.alg === 'ES256');
        const client = await makeClient(first);
        for (const node of nodes) {
          const jwks = (await node.app.inject('/.well-known/jwks.json')).json();
          expect(jwks.keys.map(({ kid }: { kid: string }) => kid)).toEqual(keys.map((one) => one.kid));
          const { json } = await token(node, client, { grant_type: 'client_credentials' });
          expect(decodeProtectedHeader(json.access_token ?? '').kid).toBe(signer?.kid);
          await node.app.close();
        }
      } finally {
        await Promise.all(databases.map((database) => database.close()));
        await drop();
      }
    }
  });
});
