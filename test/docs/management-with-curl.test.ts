/** The commands of docs/management.md, in its order, against a server on its port. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { makeClient, makeUser, obtainTokens, refresh, token } from '../support/actors.ts';
import { openTestDatabase } from '../support/database.ts';
import { listen } from '../support/listening.ts';
import { withBot } from '../support/management.ts';

const guide = readFileSync(new URL('../../docs/management.md', import.meta.url), 'utf8');
/** Of a section: each request to the server, with its continued lines. Assignments are for readers. */
const requestsOf = (heading: string): readonly string[] => {
  const [, section = ''] = guide.split(`\n${heading}\n`);
  const [text = ''] = section.split(/\n##+ /);
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
  return blocks.flatMap((block) => block.split(/(?<!\\)\n/).filter((line) => line.startsWith('curl ')));
};

type Json = { readonly [key: string]: unknown; readonly items: readonly Json[] };
const run = promisify(execFile);

it('every curl command of the guide works', async () => {
  const opened = await openTestDatabase('embedded');
  const test = await listen(opened.database, { configuration: withBot() });
  onTestFinished(async () => {
    await test.app.close();
    await opened.close();
  });
  test.clock.set(new Date());
  const bot = await makeClient(test, { clientId: 'bot', grantTypes: ['client_credentials'], redirectUris: [] });
  const app = await makeClient(test);
  const ada = await makeUser(test, 'ada');
  const stolen = await obtainTokens(test, app, ada);
  const reused = await obtainTokens(test, app, ada);
  await refresh(test, app, reused.refreshToken);
  test.clock.advanceSeconds(60);
  await refresh(test, app, reused.refreshToken);

  const known: Record<string, string> = {
    ISSUER: test.issuer,
    API: `${test.issuer}/management/v1`,
    SECRET: bot.secret ?? '',
  };
  const typed = async (command: string | undefined): Promise<string> => {
    const line = command?.replace('deploy-bot:', 'bot:') ?? '';
    const [, ...names] = line.split('$').map((part) => /^\w+/.exec(part)?.[0] ?? '');
    for (const name of names) expect(known, line).toHaveProperty(name);
    const { stdout } = await run('sh', ['-c', `${line} --silent --show-error --fail-with-body`], {
      env: { PATH: process.env['PATH'], ...known },
    });
    return stdout;
  };
  const json = async (command: string | undefined): Promise<Json> => JSON.parse(await typed(command)) as Json;

  const [askForToken, seeAll] = requestsOf('## The API with curl');
  known['TOKEN'] = (await json(askForToken))['access_token'] as string;
  known['AUTH'] = `Authorization: Bearer ${known['TOKEN']}`;
  expect((await json(seeAll))['me']).toMatchObject({ kind: 'client', client_id: 'bot' });

  const [register, see, change] = requestsOf('### Register a client, and change it');
  const registered = await json(register);
  expect(registered).toMatchObject({ client_name: 'Shop', client_secret: expect.any(String) });
  // The repeated request registers no second client.
  expect(await json(register)).toEqual(registered);
  known['CLIENT_ID'] = registered['client_id'] as string;
  known['ETAG'] = /^etag: (\S+)\r$/im.exec(await typed(see))?.[1] ?? '';
  expect(await json(change)).toMatchObject({ client_name: 'The shop' });

  const [make, list, remove] = requestsOf('### Rotate its secret');
  const second = await json(make);
  const before = await json(list);
  expect(before.items).toHaveLength(2);
  known['SECRET_ID'] = before.items[0]?.['secret_id'] as string;
  expect(await typed(remove)).toBe('');
  expect((await json(list)).items.map((item) => item['secret_id'])).toEqual([second['secret_id']]);
  const errorWith = async (secret: unknown) => {
    const shop = { ...app, clientId: known['CLIENT_ID'] ?? '', secret: secret as string };
    return (await token(test, shop, { grant_type: 'client_credentials' })).json.error;
  };
  expect(await errorWith(registered['client_secret'])).toBe('invalid_client');
  // It authenticates; the grant type is another matter.
  expect(await errorWith(second['client_secret'])).toBe('unauthorized_client');

  const [findUser, endedSessions, ofSession, deadGrants, life] = requestsOf('### Why was an end-user signed out?');
  known['SUB'] = (await json(findUser)).items[0]?.['sub'] as string;
  expect(known['SUB']).toBe(ada.id);
  const living = await test.app.inject({
    url: `/management/v1/users/${ada.id}/sessions?state=active`,
    headers: { authorization: `Bearer ${known['TOKEN']}` },
  });
  const { sid } = (living.json() as { items: [{ sid: string }] }).items[0];
  const { json: other } = await token(test, bot, {
    grant_type: 'client_credentials',
    scope: 'sessions:end',
    resource: known['API'] ?? '',
  });
  await test.app.inject({
    method: 'DELETE',
    url: `/management/v1/sessions/${sid}`,
    headers: { authorization: `Bearer ${other.access_token}` },
  });
  const [ended] = (await json(endedSessions)).items;
  expect(ended).toMatchObject({ sid, reason: expect.any(String) });
  known['SID'] = sid;
  expect((await json(ofSession)).items[0]).toMatchObject({
    machine: 'session',
    session_id: sid,
    reason: ended?.['reason'],
    actor: 'client bot',
  });
  const [dead] = (await json(deadGrants)).items;
  expect(dead).toMatchObject({ reason: 'refresh_token_reused' });
  known['GRANT_ID'] = dead?.['grant_id'] as string;
  expect(await json(life)).toMatchObject({ active: false, reason: 'refresh_token_reused' });

  const [factor, passkeys, lost] = requestsOf('### A lost phone');
  expect(await json(factor)).toMatchObject({ active: false, recovery_codes_left: 0 });
  expect((await json(passkeys)).items).toEqual([]);
  expect(await typed(lost)).toBe('');

  const [alive, end] = requestsOf('### End a stolen chain');
  const chains = (await json(alive)).items;
  expect(chains).toHaveLength(1);
  known['STOLEN_ID'] = chains[0]?.['grant_id'] as string;
  expect(await typed(end)).toBe('');
  expect((await json(alive)).items).toEqual([]);
  expect((await refresh(test, app, stolen.refreshToken)).json.error).toBe('invalid_grant');
});
