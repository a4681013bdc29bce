import postgres from 'postgres';
import type { PostgresServer } from './postgres.ts';

/** @param name of the standby that every commit of this server waits for; null: none. */
export async function awaitStandby({ url }: Pick<PostgresServer, 'url'>, name: string | null): Promise<void> {
  const admin = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await admin.unsafe(`alter system set synchronous_standby_names = '${name ?? ''}'`);
    await admin`select pg_reload_conf()`;
  } finally {
    await admin.end();
  }
}
