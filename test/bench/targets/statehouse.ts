/** Statehouse as it is shipped: `statehouse start` in production, logging at its default level. */
import type { Drizzle } from '../../../src/storage/database.ts';
import { openPostgres } from '../../../src/storage/postgres.ts';
import { freePort } from '../../support/listening.ts';
import { startChild } from '../children.ts';
import { SERVER_SECRET } from '../setting.ts';
import {
  insertBrowsers,
  insertEntries,
  insertGrants,
  insertNewUsers,
  insertOtherGrants,
  openSegments,
  registerClientAndPerson,
} from './statehouse-rows.ts';
import type { Target } from './target.ts';

export async function startStatehouse(databaseUrl: string): Promise<Target> {
  // A connection of this process would be counted with those of the server, so there is one only while it seeds.
  const seeding = async <T>(work: (db: Drizzle) => Promise<T>): Promise<T> => {
    const database = openPostgres(databaseUrl, { connections: 2 });
    return work(database.drizzle).finally(database.close);
  };
  const empty = openPostgres(databaseUrl, { connections: 1 });
  await empty.migrate().finally(empty.close);
  await seeding(registerClientAndPerson);
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const child = startChild(['src/cli/statehouse.js', 'start'], {
    DATABASE_URL: databaseUrl,
    STATEHOUSE_ISSUER: `http://localhost:${port}`,
    STATEHOUSE_SECRET: SERVER_SECRET,
    HOST: '127.0.0.1',
    PORT: String(port),
  });
  const target: Target = {
    name: 'statehouse',
    database: new URL(databaseUrl).pathname.slice(1),
    proofUrl: `http://localhost:${port}/oauth/token`,
    tokenUrl: `${origin}/oauth/token`,
    jwksUrl: `${origin}/.well-known/jwks.json`,
    authorizeUrl: `${origin}/oauth/authorize`,
    introspectionUrl: `${origin}/oauth/introspect`,
    child,
    seedCodes: (count) => seeding((db) => insertGrants(db, count)),
    seedOthers: (count) => seeding((db) => insertOtherGrants(db, count)),
    seedBrowsers: (count) => seeding((db) => insertBrowsers(db, count)),
    seedNewUsers: (count, passwordHash) => seeding((db) => insertNewUsers(db, count, passwordHash)),
    seedEntries: (count) => seeding((db) => insertEntries(db, count)),
    openSegments: () => seeding(openSegments),
    stop: child.stop,
  };
  await child.ready(`${origin}/health/ready`);
  return target;
}
