/** The recipe of docs/deploying.md for a leaked root secret, step by step as it is printed, on a server that was in use. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { expect, it, onTestFinished } from 'vitest';
import { liveConfiguration } from '../../src/boot/live-configuration.ts';
import { openRuntime } from '../../src/boot/runtime.ts';
import { runCommand } from '../../src/cli/program.ts';
import { DEFAULT_METADATA } from '../../src/registration/client-metadata.ts';
import { makeLogger } from '../../src/system/logger.ts';
import { makeClient, makeUser, obtainTokens, refresh, type TestClient, token } from '../support/actors.ts';
import { ISSUER, openTestApp } from '../support/app.ts';
import { testClock } from '../support/clock.ts';
import { openTestDatabase } from '../support/database.ts';

const ROOT = join(import.meta.dirname, '../..');
const guide = readFileSync(join(ROOT, 'docs/deploying.md'), 'utf8');
const recipe = guide.slice(guide.indexOf('**If it leaked**'), guide.indexOf('APIs that keep the old public key'));
/** What the recipe has the operator type, in order. */
const typed = [...recipe.replaceAll(/\n {3}/g, ' ').matchAll(/`((?:update|npx statehouse) [^`]+)`/g)].map(
  ([, words = '']) => words,
);

const DECLARED_SECRET = 'the secret of a declared client, of 32 characters or more';

it('after a leaked root secret, the recipe makes everything new, and names what is left to do', async () => {
  const opened = await openTestDatabase('postgres');
  const folder = mkdtempSync(join(tmpdir(), 'statehouse-leaked-'));
  onTestFinished(async () => {
    rmSync(folder, { recursive: true });
    await opened.close();
  });
  cpSync(join(ROOT, 'policies'), folder, { recursive: true });
  writeFileSync(
    join(folder, 'clients.yaml'),
    'clients: [{client_id: declared, grant_types: [client_credentials], client_secret_environment: [ITS_SECRET]}]',
  );
  const environment = (rootSecret: string) => ({
    NODE_ENV: 'production',
    DATABASE_URL: opened.url,
    STATEHOUSE_ISSUER: ISSUER,
    STATEHOUSE_CONFIG: folder,
    STATEHOUSE_SECRET: rootSecret,
    ITS_SECRET: DECLARED_SECRET,
  });
  /** A node under this root secret, as `statehouse start` puts it together. */
  const start = async (rootSecret: string) => {
    const runtime = await openRuntime(environment(rootSecret));
    const logger = makeLogger({ level: 'silent', readable: false });
    const { current } = await liveConfiguration(runtime, logger, environment(rootSecret));
    const test = await openTestApp(runtime.database, {
      clock: testClock(new Date()),
      keys: runtime.keys,
      configuration: current(),
    });
    return { ...test, stop: () => test.app.close().then(() => runtime.database.close()) };
  };
  const statehouse = async (words: string) => {
    const printed: { out: string[]; err: string[] } = { out: [], err: [] };
    const output = {
      print: (text: string) => void printed.out.push(text),
      complain: (text: string) => void printed.err.push(text),
    };
    const unattended = { interactive: false, readAll: never, readSecret: never, confirm: never };
    const env = environment(NEW);
    const status = await runCommand(words.split(' '), { env, input: unattended, output, openRuntime });
    return { status, out: printed.out.join(''), err: printed.err.join('') };
  };
  const never = () => Promise.reject(new Error('asked for input'));
  const [OLD, NEW] = ['the-root-secret-that-leaked-of-32-bytes', 'the-root-secret-after-it-of-32-bytes'];

  const before = await start(OLD);
  const shop = await makeClient(before);
  const declared = { ...DEFAULT_METADATA, clientId: 'declared', secret: DECLARED_SECRET } as TestClient;
  const user = await makeUser(before, 'ada');
  const stolen = await obtainTokens(before, shop, user);
  const credentials = { grant_type: 'client_credentials' };
  expect((await token(before, shop, credentials)).status).toBe(200);
  const leakedKids = before.deps.keyRing.published().map(({ kid }) => kid);
  await before.stop();

  const ids: string[] = [];
  for (const words of typed) {
    if (words.startsWith('update ')) {
      await opened.database.drizzle.execute(sql.raw(words));
    } else if (words.includes('CLIENT_ID')) {
      for (const id of ids) {
        const { status, out, err } = await statehouse(words.replace('npx statehouse ', '').replace('CLIENT_ID', id));
        expect({ status, err }).toEqual({ status: 0, err: '' });
        Object.assign(shop, { secret: /client_secret +(\S+)/.exec(out)?.[1] });
      }
    } else {
      const { err } = await statehouse(words.replace('npx statehouse ', ''));
      // `check` names the clients that are left to do.
      ids.push(
        ...[...err.matchAll(/^client (\S+): client_secret: stored under a root secret/gm)].map(([, id = '']) => id),
      );
      // The node that is started after `recover` brings the declared clients in.
      if (words.includes('recover')) await start(NEW).then((node) => node.stop());
    }
  }
  expect(ids).toEqual([shop.clientId]);

  const after = await start(NEW);
  expect((await token(after, shop, credentials)).status).toBe(200);
  expect((await token(after, declared, credentials)).status).toBe(200);
  expect((await refresh(after, shop, stolen.refreshToken)).json.error).toBe('invalid_grant');
  const kids = after.deps.keyRing.published().map(({ kid }) => kid);
  expect(kids).not.toEqual([]);
  expect(kids.filter((kid) => leakedKids.includes(kid))).toEqual([]);
  expect((await statehouse('check')).status).toBe(0);
  await after.stop();
});
