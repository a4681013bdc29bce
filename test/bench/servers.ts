/** The servers that are measured, by the name of their database. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Options } from './options.ts';
import { startFloor } from './targets/floor.ts';
import { startNodes } from './targets/nodes.ts';
import { startOidcProvider } from './targets/oidc-provider.ts';
import { startStatehouse } from './targets/statehouse.ts';
import type { Start } from './targets/target.ts';

type Server = {
  readonly name: string;
  readonly start: Start;
  /** Its starts and its memory are not measured. */
  readonly onlyOperates?: boolean;
};

const SERVERS: readonly Server[] = [
  { name: 'statehouse', start: startStatehouse },
  { name: 'floor', start: startFloor },
  { name: 'oidc-provider', start: startOidcProvider },
];

type Chosen = Pick<Options, 'beside' | 'gate' | 'nodes'>;

export const serversOf = async ({ beside, gate, nodes }: Chosen): Promise<readonly Server[]> => [
  ...(gate ? SERVERS.filter(({ start }) => start === startStatehouse) : SERVERS),
  ...(beside === null ? [] : [{ name: 'beside', start: await startBeside(beside) }]),
  ...(nodes === 1 ? [] : [{ name: 'nodes', start: startNodes(nodes), onlyOperates: true }]),
];

/** The other checkout brings its own bench, so that its tables are filled by its own code. */
async function startBeside(folder: string): Promise<Start> {
  const { href } = pathToFileURL(resolve(folder, 'test/bench/targets/statehouse.ts'));
  const other: { readonly startStatehouse: Start } = await import(href);
  return async (databaseUrl) => ({ ...(await other.startStatehouse(databaseUrl)), name: 'beside' });
}
