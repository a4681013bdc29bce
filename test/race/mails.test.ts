/** Mails outlive the server that took them: kill -9, with a real relay. */
import { tmpdir } from 'node:os';
import { sql } from 'drizzle-orm';
import { afterEach, expect, it } from 'vitest';
import { rootKeys } from '../../src/crypto/root-secret.ts';
import { mails } from '../../src/storage/schema.ts';
import { makeUser } from '../support/actors.ts';
import { testClock } from '../support/clock.ts';
import { freePort } from '../support/listening.ts';
import { RemoteBrowser } from '../support/remote-browser.ts';
import { openScene } from '../support/scene.ts';
import { openSmtpSink, WITHOUT_TLS } from '../support/smtp-sink.ts';
import { until } from '../support/until.ts';
import { startServer } from './server-process.ts';

const SECRET = 'a-root-secret-for-the-server-that-is-killed';

const closes: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0).toReversed()) await close();
});

it('kill -9 loses no announced mail: the next server sends it, and a dump meanwhile shows no link', async () => {
  const scene = await openScene('postgres', {
    keys: rootKeys([SECRET]),
    clock: { ...testClock(), fixedNow: () => null },
  });
  const { drizzle } = scene.database;
  closes.push(scene.close);
  await makeUser(scene, 'alice', { email: 'alice@example.com', email_verified: true });
  await makeUser(scene, 'bob', { email: 'bob@example.org', email_verified: true });
  let isHeld = true;
  const held: string[] = [];
  const relay = await openSmtpSink({
    ...WITHOUT_TLS,
    onRcptTo: ({ address }, _session, done) => void (isHeld ? held.push(address) : done()),
  });
  closes.push(relay.close);
  const env = {
    DATABASE_URL: scene.url ?? '',
    STATEHOUSE_SECRET: SECRET,
    STATEHOUSE_SMTP_URL: `smtp://127.0.0.1:${relay.port}`,
    STATEHOUSE_MAIL_FROM: 'no-reply@as.test',
  };
  const start = async () => {
    const server = await startServer({ port: await freePort(), cwd: tmpdir(), env });
    closes.push(server.kill);
    return server;
  };

  const first = await start();
  for (const email of ['alice@example.com', 'bob@example.org', 'carol@example.net']) {
    const browser = new RemoteBrowser(first.url);
    const page = await browser.submit(await browser.get('/forgot-password'), { email });
    expect(page.body).toContain('If an account has this e-mail address');
  }
  const pending = () => drizzle.select({ attempts: mails.attempts }).from(mails).where(sql`state = 'pending'`);
  // The request for an address without an account waits, too, until the server has looked for the account.
  await until(async () => held.length === 2 && (await pending()).length === 2);
  await first.kill();
  expect(await pending()).toEqual([{ attempts: 1 }, { attempts: 1 }]);

  isHeld = false;
  const [{ dump } = { dump: '' }] = Array.from(
    (await drizzle.execute(sql`select jsonb_agg(m)::text as dump from mails m`)) as unknown as Iterable<{
      dump: string;
    }>,
  );
  // The claims of the dead server would run out by themselves, in two minutes.
  await drizzle
    .update(mails)
    .set({ nextAttemptAt: sql`date_trunc('milliseconds', now())` })
    .where(sql`state = 'pending'`);
  const second = await start();
  await until(async () => (await drizzle.select().from(mails)).every(({ state }) => state === 'sent'));
  expect(relay.got.flatMap(({ to }) => to).toSorted()).toEqual(['alice@example.com', 'bob@example.org']);
  for (const { raw } of relay.got) {
    const text = raw.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=');
    const token = /\/email\/link\?t=([\w-]{43})/.exec(text)?.[1] ?? 'no token';
    expect(dump).not.toContain(token);
    expect((await new RemoteBrowser(second.url).get(`/email/link?t=${token}`)).status).toBe(200);
  }
  expect(dump).not.toMatch(/alice|bob|carol|example/);
  expect((await drizzle.select().from(mails)).every(({ sealedContents }) => sealedContents === null)).toBe(true);
});
