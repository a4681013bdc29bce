import { join } from 'node:path';
import { freePort } from '../../support/listening.ts';
import { startChild } from '../children.ts';
import type { Target } from './target.ts';

const SCRIPT = join(import.meta.dirname, '../oidc-provider/server.ts');

export async function startOidcProvider(databaseUrl: string): Promise<Target> {
  const port = await freePort();
  const child = startChild([SCRIPT], { DATABASE_URL: databaseUrl, PORT: String(port) });
  const origin = `http://127.0.0.1:${port}`;
  const target: Target = {
    name: 'oidc-provider',
    database: new URL(databaseUrl).pathname.slice(1),
    tokenUrl: `${origin}/token`,
    jwksUrl: `${origin}/jwks`,
    authorizeUrl: `${origin}/auth`,
    // No introspection: it has none for access tokens that are JWTs.
    child,
    seedCodes: (count) => child.ask('codes', count),
    seedOthers: (count) => child.ask('others', count),
    seedBrowsers: (count) => child.ask('browsers', count),
    stop: child.stop,
  };
  await child.ready(target.jwksUrl);
  return target;
}
