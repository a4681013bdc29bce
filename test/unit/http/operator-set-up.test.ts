/** The link that makes the first operator, through the pages: its one use, and everyone else who has it, or had it. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NOBODY_ADMINISTERS } from '../../../policies/operators-schema.ts';
import { newSetUpLink, offerSetUp, operatorsBySetUp } from '../../../src/boot/first-operator.ts';
import { readBootstrapOperator } from '../../../src/config/bootstrap-operator.ts';
import { commandLine } from '../../../src/model/actor.ts';
import { scopeOfAdministrator, withOperatorBySetUp } from '../../../src/protocol/administrators.ts';
import { demandsSecondFactor } from '../../../src/protocol/browser-session.ts';
import { operatorSetUps, transitions, users } from '../../../src/storage/schema.ts';
import { raiseServerEpoch } from '../../../src/storage/server.ts';
import { makeUser } from '../../support/actors.ts';
import { disableUser, enableUser } from '../../support/administration.ts';
import { ISSUER, shippedConfiguration } from '../../support/app.ts';
import { type Answer, Browser } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const PASSWORD = 'a long and plain passphrase of ada';
const DAY = 86_400;
const SECRET = `${'A'.repeat(42)}_`;

let scene: Scene;
let declared: readonly string[];
let operators: ReturnType<typeof operatorsBySetUp>;
let warnings: string[];
let browser: Browser;
let addresses = 0;

const configuration = () => ({
  ...shippedConfiguration,
  production: true,
  operators: { ...NOBODY_ADMINISTERS, operators: [...declared] },
});
const parts = () => ({
  issuer: ISSUER,
  db: scene.database.drizzle,
  keys: scene.keys,
  clock: scene.clock,
  random: scene.deps.random,
});
const stranger = () => new Browser(scene.app, `203.0.113.${++addresses % 250}`);

beforeEach(async () => {
  declared = [];
  warnings = [];
  let follow = async () => {};
  scene = await openScene(anyDatabase, {
    reloaded: () => operatorsConfiguration(),
    declaredOperators: () => declared,
    operatorMade: () => follow(),
  });
  const logger = { warn: (...words: unknown[]) => void warnings.push(JSON.stringify(words)) } as never;
  bySetUp = null;
  operators = operatorsBySetUp(parts(), configuration, logger);
  follow = async () => {
    await operators.follow();
    bySetUp = operators.configuration().operatorBySetUp ?? null;
  };
  browser = stranger();
});
afterEach(() => scene.close());

/** As a server overlays its files. */
let bySetUp: string | null = null;
const operatorsConfiguration = () => {
  const files = { ...shippedConfiguration, operators: { ...NOBODY_ADMINISTERS, operators: [...declared] } };
  const { operators: all, operatorBySetUp } = bySetUp === null ? files : withOperatorBySetUp(files, bySetUp);
  return { operators: all, ...(operatorBySetUp !== undefined && { operatorBySetUp }) };
};

async function link(username: string | null = null): Promise<string> {
  const issued = await newSetUpLink(parts(), configuration(), username, commandLine);
  if (issued.kind === 'rejected') throw new Error(issued.reason);
  return issued.url.slice(ISSUER.length);
}
const refusal = async () => {
  const issued = await newSetUpLink(parts(), configuration(), null, commandLine);
  return issued.kind === 'rejected' ? issued.reason : issued.kind;
};
const use = async (url: string, username = 'ada', by = browser): Promise<Answer> =>
  by.submit(await by.get(url), { username, password: PASSWORD });
const rows = () => scene.database.drizzle.select().from(operatorSetUps);
const states = async () => (await rows()).map(({ state }) => state).sort();
const accounts = async () => (await scene.database.drizzle.select().from(users)).map(({ username }) => username);
const scope = (username: string) => scopeOfAdministrator(operators.configuration(), { kind: 'user', username });

describe('the set-up of the first operator', () => {
  it('makes an operator who administers, and whose session awaits a second factor', async () => {
    const done = await use(await link());
    expect(done.url).toBe('/operator/set-up/done');
    expect(done.body).toContain('operators:\n  - &#34;ada&#34;');
    expect(scope('ada')).not.toEqual([]);
    // The policy asks for no factor.
    const off = { ...operators.configuration(), production: false };
    expect(demandsSecondFactor(off, 'ada')).toBe(true);
    expect(demandsSecondFactor(off, 'bob')).toBe(false);
    expect((await browser.get('/account')).url).toMatch(/^\/sign-in/);
    const entries = await scene.database.drizzle.select().from(transitions);
    expect(entries.filter(({ machine }) => machine === 'operatorSetUp')).toMatchObject([
      { event: 'requested', toState: 'active' },
      { event: 'used', toState: 'used' },
    ]);
  });

  it('works once, also for two browsers together', async () => {
    const url = await link();
    const [one, two] = [stranger(), stranger()];
    const pages = [await one.get(url), await two.get(url)] as const;
    const answers = await Promise.all([
      one.submit(pages[0], { username: 'ada', password: PASSWORD }),
      two.submit(pages[1], { username: 'eve', password: PASSWORD }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410]);
    expect(await states()).toEqual(['used']);
    expect((await accounts()).filter((name) => name === 'ada' || name === 'eve')).toHaveLength(1);
    const again = await stranger().get(url);
    expect([again.status, again.body.includes('works only once')]).toEqual([410, true]);
  });

  it('ends with a newer link', async () => {
    const old = await link();
    const newer = await link();
    expect((await browser.get(old)).body).toContain('A newer link was made');
    expect((await use(newer, 'ada')).status).toBe(200);
    expect(await states()).toEqual(['ended', 'used']);
  });

  it('makes no operator at its end', async () => {
    const url = await link();
    const page = await browser.get(url);
    scene.clock.advanceSeconds(DAY);
    expect((await browser.submit(page, { username: 'ada', password: PASSWORD })).status).toBe(410);
    expect(await accounts()).not.toContain('ada');
  });

  it('makes no operator after the restore of a backup', async () => {
    const url = await link();
    const page = await browser.get(url);
    await raiseServerEpoch(scene.database.drizzle);
    const refused = await browser.submit(page, { username: 'ada', password: PASSWORD });
    expect([refused.status, refused.body.includes('before the restore of a backup')]).toEqual([410, true]);
    expect(await accounts()).not.toContain('ada');
  });

  it('is not guessed: a link that was not issued is unknown, and stores nothing', async () => {
    await link();
    for (const secret of ['', 'x', SECRET, `${SECRET}\u0000`, 'A'.repeat(300)])
      expect((await browser.get(`/operator/set-up?t=${encodeURIComponent(secret)}`)).status).toBe(404);
    expect((await browser.post('/operator/set-up', { t: SECRET, username: 'ada', password: PASSWORD })).status).toBe(
      404,
    );
    expect(await states()).toEqual(['active']);
  });

  it('is refused from another page, and does nothing when it is only opened', async () => {
    const url = await link();
    await browser.get(url);
    const t = url.split('t=')[1] ?? '';
    expect((await browser.post('/operator/set-up', { t, username: 'ada', password: PASSWORD })).status).toBe(403);
    expect(await states()).toEqual(['active']);
  });

  it('is not issued beside an operator of the file, and its link ends there', async () => {
    const url = await link();
    const page = await browser.get(url);
    await makeUser(scene, 'grace');
    declared = ['Grace'];
    expect(await refusal()).toBe('operator_exists');
    const refused = await browser.submit(page, { username: 'grace2', password: PASSWORD });
    expect([refused.status, await accounts()]).toEqual([410, expect.not.arrayContaining(['grace2'])]);
    await operators.follow();
    expect(await states()).toEqual(['ended']);
    // The only one is disabled: no end-user administers.
    await disableUser(scene.database.drizzle, 'grace');
    expect(await refusal()).toBe('issued');
  });

  it('makes only those operators whom the file names, and takes over no account', async () => {
    declared = ['grace', 'heidi'];
    await makeUser(scene, 'mallory');
    const url = await link();
    const page = await use(url, 'mallory');
    expect([page.status, page.body.includes('names other usernames')]).toEqual([400, true]);
    expect((await use(url, 'heidi')).url).toBe('/operator/set-up/done');
    // The file decides from now on.
    expect(await states()).toEqual(['ended']);
    expect(scope('heidi')).not.toEqual([]);
    declared = ['grace'];
    expect(scope('heidi')).toEqual([]);
  });

  it('takes over no account of an end-user', async () => {
    await makeUser(scene, 'mallory');
    const page = await use(await link(), 'Mallory');
    expect([page.status, await states()]).toEqual([400, ['active']]);
  });

  it('gives its right until the file names an operator, and never again', async () => {
    await use(await link());
    expect(scope('ada')).not.toEqual([]);
    declared = ['grace'];
    await operators.follow();
    // No end-user has the name yet.
    expect(scope('ada')).not.toEqual([]);
    await makeUser(scene, 'grace');
    await operators.follow();
    expect([scope('ada'), await states()]).toEqual([[], ['ended']]);
    expect(warnings.join()).toContain('a set-up of an operator ended');
    declared = [];
    await operators.follow();
    expect(scope('ada')).toEqual([]);
  });

  it('gives no right to a row that the server did not write, nor to a disabled operator', async () => {
    await use(await link());
    const { macVersion } = (await rows())[0] ?? { macVersion: 0n };
    await disableUser(scene.database.drizzle, 'ada');
    await operators.follow();
    expect(scope('ada')).toEqual([]);
    await enableUser(scene.database.drizzle, 'ada');
    await operators.follow();
    expect(scope('ada')).not.toEqual([]);
    await scene.database.drizzle.update(operatorSetUps).set({ mac: Buffer.alloc(36), macVersion: macVersion + 1n });
    await operators.follow();
    expect(scope('ada')).toEqual([]);
  });

  it('is printed to a terminal alone: no log has a link', async () => {
    const printed: string[] = [];
    const logged: string[] = [];
    const logger = { warn: (...all: unknown[]) => void logged.push(JSON.stringify(all)), info: () => {} } as never;
    const at = (isTerminal: boolean) =>
      offerSetUp(
        { ...parts(), configuration: configuration(), bootstrap: null },
        { isTerminal, print: (lines) => void printed.push(lines) },
        logger,
      );
    await at(false);
    expect([printed, logged.join(), await states()]).toEqual([[], expect.stringContaining('operators set-up'), []]);
    await at(true);
    const [url = ''] = /https:\S+/.exec(printed.join()) ?? [];
    await use(url.slice(ISSUER.length));
    await at(true);
    await at(false);
    expect([printed.length, logged.length, scene.logs().includes(url.split('t=')[1] ?? '')]).toEqual([1, 1, false]);
  });

  it('takes the secret of the environment once, on several nodes', async () => {
    const bootstrap = readBootstrapOperator(`ada:${SECRET}`);
    if (bootstrap === null || 'problem' in bootstrap) throw new Error('refused');
    const logged: string[] = [];
    const log = (...all: unknown[]) => void logged.push(JSON.stringify(all));
    const start = () =>
      offerSetUp({ ...parts(), configuration: configuration(), bootstrap }, { isTerminal: false, print: () => {} }, {
        warn: log,
        info: log,
      } as never);
    await Promise.all([start(), start()]);
    expect(await states()).toEqual(['active']);
    const url = `/operator/set-up?t=${SECRET}`;
    expect((await browser.get(url)).body).toContain('value="ada"');
    // The link is for ada alone.
    await use(url, 'eve');
    expect(await accounts()).not.toContain('eve');
    await start();
    await disableUser(scene.database.drizzle, 'ada');
    await start();
    expect([await states(), logged.join().includes(SECRET)]).toEqual([['used'], false]);
    expect(logged.at(-1)).toContain('was used: set another');
  });
});

it.each(['', ':x', 'ada:short', `a:b:${SECRET}`, 'a'.repeat(257)])('the variable is refused: %j', (text) => {
  expect(readBootstrapOperator(text)).toHaveProperty('problem', expect.not.stringContaining('short'));
});
