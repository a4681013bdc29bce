/** The pages while the queue of mails is full, and the mails of an account that is erased. */

import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { NotDelivered } from '../../../src/boot/mail/outbox.ts';
import { theServer } from '../../../src/model/actor.ts';
import { administerUser, requireDone } from '../../../src/registration/administration.ts';
import { mails } from '../../../src/storage/schema.ts';
import { makeUser, PASSWORD, type TestUser } from '../../support/actors.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { Browser, formOf } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { testMacs } from '../../support/macs.ts';
import { keptMails } from '../../support/mails.ts';
import { openScene, type Scene } from '../../support/scene.ts';

let scene: Scene;
let alice: TestUser;
let browser: Browser;

const OPEN = { ...shippedConfiguration, signIn: { ...shippedConfiguration.signIn, signUp: 'open' as const } };

async function open(mail = keptMails()) {
  scene = await openScene(anyDatabase, { mail, configuration: OPEN });
  alice = await makeUser(scene, 'alice', { email: 'alice@example.com', email_verified: true });
  browser = new Browser(scene.app);
}
beforeEach(() => open());
afterEach(() => scene.close());

/** One mail for each of so many domains, so that none has more than another. */
const fill = (count: number) =>
  scene.database.drizzle.execute(sql`insert into mails (id, purpose, domain_hash, sealed_contents, state, attempts, next_attempt_at,
    gives_up_at, created_at) select gen_random_uuid(), 'link', decode(md5(gen_random_uuid()::text), 'hex'), 'sealed', 'pending', 0,
    '2040-01-01', '2040-01-01', '2030-01-01' from generate_series(1, ${count}) n`);

const ask = async (path: string, email: string) => browser.submit(await browser.get(path), { email });
const withoutForm = (body: string) =>
  body.replaceAll(/name="csrf" value="[^"]*"/g, '').replaceAll(/value="[^"]*@[^"]*"/g, '');

it.each(['/forgot-password', '/sign-up'])(
  '%s reports that no mail was sent, with the same text for every address',
  async (path) => {
    await fill(999);
    expect((await ask(path, 'last@example.net')).status).toBe(200);
    await scene.deps.outbox?.idle();
    await fill(1);
    const known = await ask(path, 'alice@example.com');
    const unknown = await ask(path, 'unknown@example.com');
    expect([known.status, known.headers['retry-after'], unknown.status]).toEqual([429, '60', 429]);
    expect(known.body).toContain('yours was not sent');
    expect(withoutForm(known.body)).toBe(withoutForm(unknown.body));
  },
);

it('/account/email reports that no mail was sent', async () => {
  await fill(1000);
  await browser.submit(await browser.get('/account/email'), { username: 'alice', password: PASSWORD });
  const page = await browser.get('/account/email');
  const csrf = formOf(page.body).fields['csrf'] ?? '';
  const changed = await browser.post('/account/email/change', { csrf, email: 'alice@new.example' });
  expect(changed.status).toBe(429);
  expect(changed.body).toContain('yours was not sent');
});

it('an erased account deletes its mails: none is sent afterwards', async () => {
  await scene.close();
  let isBack = false;
  const relay = keptMails();
  const delivered: string[] = [];
  await open({
    ...relay,
    deliver: async ({ to }) => {
      if (!isBack) throw new NotDelivered('ECONNECTION', false);
      delivered.push(to);
    },
  });
  await makeUser(scene, 'bob', { email: 'bob@example.com', email_verified: true });
  for (const who of ['alice', 'bob']) await ask('/forgot-password', `${who}@example.com`);
  await scene.deps.outbox?.idle();
  const { drizzle: db } = scene.database;
  expect((await db.select().from(mails)).filter(({ state }) => state === 'pending')).toHaveLength(2);
  const deletion = { id: alice.id, change: { type: 'deletionRequested' } } as const;
  requireDone(await administerUser({ db, macs: testMacs, actor: theServer }, deletion));
  isBack = true;
  scene.clock.advanceSeconds(5);
  await scene.deps.outbox?.round();
  await scene.deps.outbox?.idle();
  expect(delivered).toEqual(['bob@example.com']);
  expect((await db.select().from(mails)).filter(({ userId }) => userId === alice.id)).toEqual([]);
});
