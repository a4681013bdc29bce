/** The queue of mails: in the database, shared by nodes, bounded, fair, and without a word about whom a mail was for. */
import { sql } from 'drizzle-orm';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { NotDelivered } from '../../../src/boot/mail/outbox.ts';
import { MAIL_POLICY } from '../../../src/lifecycles/mail/lifecycle.ts';
import { countMails } from '../../../src/metrics/mails.ts';
import { waitingMails } from '../../../src/storage/mails.ts';
import { startTime, timeOfRequest, withinTime } from '../../../src/system/request-time.ts';
import { testClock } from '../../support/clock.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { LINK_SECRET, mailTo, outboxOn } from '../../support/outbox.ts';
import { until } from '../../support/until.ts';

const LATER = new NotDelivered('EENVELOPE 451', false);
const DROPPED = 'mail dropped: the queue is full';

/** A relay that answers 451 to the others. */
function relay(takes: (to: string) => boolean = () => true) {
  const delivered: string[] = [];
  const deliver = async ({ to }: { readonly to: string }) => {
    if (!takes(to)) throw LATER;
    delivered.push(to);
  };
  return { delivered, deliver };
}

describe('the queue of mails', () => {
  let opened: TestDatabase;
  const outboxWith = (options: Parameters<typeof outboxOn>[1] = {}) => outboxOn(opened.database, options);
  beforeEach(async () => {
    opened = await openTestDatabase(anyDatabase);
  });
  afterEach(() => opened.close());

  it('delivers nothing to an end-user whose account was deleted since', async () => {
    const { delivered, deliver } = relay();
    const [gone, here] = [crypto.randomUUID(), crypto.randomUUID()];
    const outbox = outboxWith({ deliver, isErased: async (userId) => userId === gone });
    await outbox.send({ ...mailTo('gone@example.com'), userId: gone });
    await outbox.send({ ...mailTo('here@example.com'), userId: here });
    await outbox.idle();
    expect(delivered).toEqual(['here@example.com']);
    expect(new Map((await outbox.stored()).map(({ userId, state }) => [userId, state]))).toEqual(
      new Map([
        [gone, 'dropped'],
        [here, 'sent'],
      ]),
    );
  });

  it('retries a mail after growing waits, and logs neither address nor contents', async () => {
    let attempts = 0;
    const deliver = async () => {
      attempts++;
      if (attempts < 3) throw LATER;
    };
    const { clock, ...outbox } = outboxWith({ deliver });
    expect(await outbox.send(mailTo('alice@example.com'))).toBe(true);
    const round = async () => {
      await outbox.round();
      await outbox.idle();
      return attempts;
    };
    expect(await round()).toBe(1);
    clock.advanceSeconds(5);
    expect(await round()).toBe(2);
    clock.advanceSeconds(59);
    expect(await round()).toBe(2);
    clock.advanceSeconds(1);
    expect(await round()).toBe(3);
    expect(await outbox.stored()).toMatchObject([{ state: 'sent', attempts: 3, sealedContents: null }]);
    expect(outbox.logs()).toContain('mail sent');
    expect(outbox.logs()).not.toMatch(/alice|s3cret/);
  });

  it('dead-letters a mail after the last attempt', async () => {
    const { clock, ...outbox } = outboxWith({
      ...relay(() => false),
      policy: { ...MAIL_POLICY, maxAttempts: 2 },
    });
    await outbox.send(mailTo('alice@example.com'));
    await outbox.idle();
    clock.advanceSeconds(5);
    await outbox.round();
    await outbox.idle();
    expect(await outbox.stored()).toMatchObject([{ state: 'dropped', dropReason: 'attempts_used_up', attempts: 2 }]);
    expect(outbox.logs()).toContain('mail abandoned');
  });

  it('drops a link that is older than its lifetime', async () => {
    const { delivered, deliver } = relay();
    const { clock, ...outbox } = outboxWith({ deliver });
    const before = outboxWith({ ...relay(() => false), clock });
    await before.send(mailTo('alice@example.com'));
    await before.close();
    clock.advanceSeconds(1801);
    await outbox.round();
    await outbox.idle();
    expect(delivered).toEqual([]);
    expect(await outbox.stored()).toMatchObject([{ state: 'dropped', dropReason: 'too_old', sealedContents: null }]);
  });

  it('does not repeat a mail that the relay rejected permanently', async () => {
    let attempts = 0;
    const outbox = outboxWith({
      deliver: async () => {
        attempts++;
        throw new NotDelivered('EENVELOPE 550', true);
      },
    });
    await outbox.send(mailTo('alice@example.com'));
    await outbox.idle();
    expect(attempts).toBe(1);
    expect(await outbox.stored()).toMatchObject([{ state: 'dropped', dropReason: 'refused', sealedContents: null }]);
  });

  it('survives a mail without a template, and work that fails', async () => {
    const { delivered, deliver } = relay();
    const outbox = outboxWith({
      deliver,
      compose: async ({ to }) => {
        if (to === 'alice@example.com') throw new Error('no words');
        return { to, subject: '', text: '', html: '', language: 'en', organization: null, images: [] };
      },
    });
    await outbox.send(mailTo('alice@example.com'));
    await outbox.later(async () => {
      throw new Error('the database is away');
    });
    await outbox.send(mailTo('bob@example.com'));
    await outbox.idle();
    expect(delivered).toEqual(['bob@example.com']);
    expect(outbox.logs()).toContain('mail abandoned');
    expect(outbox.logs()).toContain('no mail was sent');
  });

  it('reads the address after the answer, and outside the time of the request', async () => {
    const happened: string[] = [];
    const outbox = outboxWith();
    withinTime(startTime(), () => {
      void outbox.later(
        async () => void happened.push(timeOfRequest() === null ? 'work' : 'work within the time of the request'),
      );
      happened.push('answer');
    });
    await outbox.idle();
    expect(happened).toEqual(['answer', 'work']);
  });

  it('stores address and link encrypted, and deletes both after the end', async () => {
    const { delivered, deliver } = relay((to) => to === 'bob@example.org');
    const outbox = outboxWith({ deliver });
    await outbox.send(mailTo('alice@example.com'));
    await outbox.want({ kind: 'sign_up_wanted', to: 'carol@example.com', languages: [], resumption: null });
    await outbox.send(mailTo('bob@example.org', 'password_changed'));
    await outbox.idle();
    expect(delivered).toEqual(['bob@example.org']);
    const rows = await opened.database.drizzle.execute(sql`select m::text as row, sealed_contents from mails m`);
    const dump = JSON.stringify(Array.from(rows as unknown as Iterable<object>));
    for (const secret of ['alice', 'carol', 'bob', 'example', LINK_SECRET, Buffer.from(LINK_SECRET).toString('hex')])
      expect(dump).not.toContain(secret);
    expect((await outbox.stored()).map(({ state, sealedContents }) => [state, sealedContents === null])).toEqual(
      expect.arrayContaining([
        ['pending', false],
        ['sent', true],
      ]),
    );
  });

  it('does not send the contents of a row under another id', async () => {
    const { delivered, deliver } = relay();
    const outbox = outboxWith({ deliver });
    const closed = outboxWith({ clock: outbox.clock });
    await closed.close();
    await closed.send(mailTo('alice@example.com'));
    const [row] = await outbox.stored();
    await opened.database.drizzle.execute(
      sql`insert into mails select gen_random_uuid(), purpose, domain_hash, user_id, sealed_contents, state, attempts, next_attempt_at,
        gives_up_at, created_at, ended_at, drop_reason from mails where id = ${row?.id}`,
    );
    await outbox.round();
    await outbox.idle();
    expect(delivered).toEqual(['alice@example.com']);
    expect(outbox.logs()).toContain('unreadable');
  });

  it('takes over the mail of a dead node when the claim expires', async () => {
    const { promise: silent, resolve: answer } = Promise.withResolvers<void>();
    let isUnderWay = false;
    const first = outboxWith({
      deliver: () => {
        isUnderWay = true;
        return silent;
      },
    });
    await first.send(mailTo('alice@example.com'));
    await until(() => isUnderWay);
    const { delivered, deliver } = relay();
    const second = outboxWith({ deliver, clock: first.clock });
    await second.round();
    await second.idle();
    expect(delivered).toEqual([]);
    first.clock.advanceSeconds(MAIL_POLICY.claimSeconds);
    await second.round();
    await second.idle();
    expect(delivered).toEqual(['alice@example.com']);
    answer();
    await first.close();
    expect(await second.stored()).toMatchObject([{ state: 'sent', attempts: 2 }]);
  });

  it('shares mails between nodes that poll at the same moment, and sends each once', async () => {
    const { delivered, deliver } = relay();
    const clock = testClock();
    const closed = outboxWith({ clock });
    await closed.close();
    const addresses = Array.from({ length: 60 }, (_, one) => `${one}@${one % 3}.example`);
    for (const to of addresses) await closed.send(mailTo(to));
    const nodes = [outboxWith({ deliver, clock }), outboxWith({ deliver, clock })];
    for (const { round } of nodes) await round();
    for (const { idle } of nodes) await idle();
    expect(delivered.toSorted()).toEqual(addresses.toSorted());
  });

  it('leaves a waiting mail to another node when it closes', async () => {
    const closed = outboxWith();
    await closed.close();
    expect(await closed.send(mailTo('alice@example.com'))).toBe(true);
    const { delivered, deliver } = relay();
    const outbox = outboxWith({ deliver, clock: closed.clock });
    await outbox.round();
    await outbox.idle();
    expect(delivered).toEqual(['alice@example.com']);
  });

  it('still sends notices and mails to other domains while a relay defers a flood of links', async () => {
    const { delivered, deliver } = relay((to) => !to.endsWith('@flood.example'));
    const outbox = outboxWith({ deliver, maxWaiting: 20 });
    const flood = [];
    for (let one = 0; one < 60; one++) flood.push(await outbox.send(mailTo(`${one}@flood.example`)));
    expect(flood.filter((isQueued) => !isQueued)).toHaveLength(40);
    expect(await outbox.send(mailTo('owner@others.example', 'password_changed'))).toBe(true);
    expect(await outbox.send(mailTo('ada@small.example'))).toBe(true);
    await outbox.idle();
    expect(delivered.toSorted()).toEqual(['ada@small.example', 'owner@others.example']);
    // The flooding domain lost the mails beyond the bound, and the log reports how many.
    expect(outbox.logs().split(DROPPED).length - 1).toBe(41);
    const states = (await outbox.stored()).map(({ state, dropReason }) => dropReason ?? state);
    expect(states.filter((state) => state === 'queue_full')).toHaveLength(1);
    expect(states.filter((state) => state === 'pending')).toHaveLength(19);
  });

  it('sends a notice before waiting links, and serves the domains of recipients in turn', async () => {
    const { delivered, deliver } = relay();
    const closed = outboxWith();
    await closed.close();
    for (let one = 0; one < 10; one++) await closed.send(mailTo(`${one}@large.example`));
    for (const one of ['x', 'y']) await closed.send(mailTo(`${one}@small.example`));
    await closed.send(mailTo('owner@b.example', 'password_changed'));
    const outbox = outboxWith({ deliver, clock: closed.clock });
    await outbox.round();
    await outbox.idle();
    expect(delivered).toHaveLength(13);
    expect(delivered.indexOf('owner@b.example')).toBeLessThan(2);
    expect(delivered.indexOf('y@small.example')).toBeLessThan(8);
  });

  it('answers a request for mails with mails that replace it, in a full queue too', async () => {
    const { delivered, deliver } = relay();
    const outbox = outboxWith({
      deliver,
      maxWaiting: 1,
      answer: async ({ to }, send) => {
        for (const one of ['1', '2']) await send(mailTo(`${one}-${to}`));
      },
    });
    expect(await outbox.want({ kind: 'reset_wanted', to: 'a@a.example', languages: [], onlyForDevice: null })).toBe(
      true,
    );
    await outbox.idle();
    expect(delivered.toSorted()).toEqual(['1-a@a.example', '2-a@a.example']);
  });

  it('counts sent, failed and waiting mails, by purpose', async () => {
    const registry = new Registry();
    onTestFinished(countMails(registry));
    const outbox = outboxWith({
      ...relay((to) => to === 'a@a.example'),
      maxWaiting: 1,
      policy: { ...MAIL_POLICY, maxAttempts: 1 },
    });
    await outbox.send(mailTo('a@a.example'));
    await outbox.idle();
    await outbox.send(mailTo('b@b.example'));
    await outbox.idle();
    await outbox.send(mailTo('a@a.example', 'password_changed'));
    await outbox.idle();
    await outbox.close();
    expect([await outbox.send(mailTo('c@c.example')), await outbox.send(mailTo('d@c.example'))]).toEqual([true, false]);
    const text = await registry.metrics();
    for (const line of [
      '{purpose="link",outcome="sent"} 1',
      '{purpose="link",outcome="given_up"} 1',
      '{purpose="link",outcome="dropped"} 1',
      '{purpose="notice",outcome="sent"} 1',
    ])
      expect(text).toContain(`statehouse_mails_total${line}`);
    outbox.clock.advanceSeconds(12);
    expect(await waitingMails(opened.database.drizzle, outbox.clock)).toEqual([
      { purpose: 'link', waiting: 1, oldestSeconds: 12 },
    ]);
  });
});
