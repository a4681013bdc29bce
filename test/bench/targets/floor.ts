import { join } from 'node:path';
import postgres from 'postgres';
import { freePort } from '../../support/listening.ts';
import { startChild } from '../children.ts';
import { insertFloorBrowsers, insertFloorGrants, insertOtherFloorGrants, makeFloorTables } from '../floor/tables.ts';
import type { Target } from './target.ts';

const SCRIPT = join(import.meta.dirname, '../floor/server.ts');

export async function startFloor(databaseUrl: string): Promise<Target> {
  const seeding = async <T>(work: (sql: postgres.Sql) => Promise<T>): Promise<T> => {
    const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
    return work(sql).finally(() => sql.end());
  };
  await seeding(makeFloorTables);
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const child = startChild([SCRIPT], { DATABASE_URL: databaseUrl, PORT: String(port) });
  const target: Target = {
    name: 'floor',
    database: new URL(databaseUrl).pathname.slice(1),
    proofUrl: `http://localhost:${port}/oauth/token`,
    tokenUrl: `${origin}/oauth/token`,
    jwksUrl: `${origin}/jwks`,
    authorizeUrl: `${origin}/oauth/authorize`,
    introspectionUrl: `${origin}/oauth/introspect`,
    child,
    seedCodes: (count) => seeding((sql) => insertFloorGrants(sql, count)),
    seedOthers: (count) => seeding((sql) => insertOtherFloorGrants(sql, count)),
    seedBrowsers: (count) => seeding((sql) => insertFloorBrowsers(sql, count)),
    stop: child.stop,
  };
  await child.ready(target.jwksUrl);
  return target;
}
