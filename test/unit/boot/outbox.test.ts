/** The outbox: after the answer, a few more times, never too much, and without a word about whom a mail was for. */
import { expect, it } from 'vitest';
import { NotDelivered, type OutboxOptions, openOutbox } from '../../../src/boot/mail/outbox.ts';
import type { ComposedMail } from '../../../src/http/views/mail.ts';
import type { Mail } from '../../../src/people/mail/mail.ts';
import { makeLogger } from '../../../src/system/logger.ts';
import { startTime, timeOfRequest, withinTime } from '../../../src/system/request-time.ts';

const MAIL: Mail = {
  to: 'alice@example.com',
  wishes: [],
  timeZone: null,
  content: {
    kind: 'reset_password',
    username: 'alice',
    link: 'https://as.test/email/link?t=s3cret',
    lifetimeSeconds: 1800,
  },
};
const COMPOSED: ComposedMail = { to: MAIL.to, subject: 's', text: 's3cret', html: 's3cret', language: 'en' };

function outboxWith(options: Partial<OutboxOptions> = {}) {
  const lines: string[] = [];
  const slept: number[] = [];
  const logger = makeLogger({
    level: 'trace',
    readable: false,
    destination: { write: (line) => void lines.push(line) },
  });
  const outbox = openOutbox({
    deliver: async () => {},
    compose: async () => COMPOSED,
    logger,
    waits: [1, 2, 3],
    sleep: async (milliseconds) => void slept.push(milliseconds),
    ...options,
  });
  return { outbox, slept, logs: () => lines.join('') };
}

const failing = (times: number, error: Error) => {
  let attempts = 0;
  const deliver = async () => {
    attempts++;
    if (attempts <= times) throw error;
  };
  return { deliver, attempts: () => attempts };
};

it('tries again, with longer and longer waits, and says nothing of the address or the mail', async () => {
  const { deliver, attempts } = failing(2, new NotDelivered('ECONNECTION', false));
  const { outbox, slept, logs } = outboxWith({ deliver });
  outbox.send(MAIL);
  await outbox.idle();
  expect([attempts(), slept]).toEqual([3, [1, 2]]);
  expect(logs()).toContain('mail sent');
  expect(logs()).not.toMatch(/alice|s3cret/);
});

it('gives up after the last wait', async () => {
  const { deliver, attempts } = failing(Number.POSITIVE_INFINITY, new NotDelivered('ECONNECTION', false));
  const { outbox, slept, logs } = outboxWith({ deliver });
  outbox.send(MAIL);
  await outbox.idle();
  expect([attempts(), slept]).toEqual([4, [1, 2, 3]]);
  expect(logs()).toContain('mail given up');
});

it('does not repeat what was refused for good', async () => {
  const { deliver, attempts } = failing(9, new NotDelivered('EENVELOPE 550', true));
  const { outbox } = outboxWith({ deliver });
  outbox.send(MAIL);
  await outbox.idle();
  expect(attempts()).toBe(1);
});

it('a mail without words, and work that fails, end nothing', async () => {
  const { outbox, logs } = outboxWith({
    compose: async () => {
      throw new Error('no words');
    },
  });
  outbox.send(MAIL);
  outbox.later(async () => {
    throw new Error('the database is away');
  });
  await outbox.idle();
  expect(logs()).toContain('mail given up');
  expect(logs()).toContain('nothing was sent');
});

it('works after the answer, and outside the time of the request', async () => {
  const happened: string[] = [];
  const { outbox } = outboxWith();
  withinTime(startTime(), () => {
    outbox.later(
      async () => void happened.push(timeOfRequest() === null ? 'work' : 'work within the time of the request'),
    );
    happened.push('answer');
  });
  await outbox.idle();
  expect(happened).toEqual(['answer', 'work']);
});

it('takes so much and no more', async () => {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  let delivered = 0;
  const deliver = async () => {
    await gate;
    delivered++;
  };
  const { outbox, logs } = outboxWith({ deliver, maxWaiting: 3 });
  for (let times = 0; times < 5; times++) outbox.send(MAIL);
  open();
  await outbox.idle();
  expect(delivered).toBe(3);
  expect(logs().split('too much waits').length - 1).toBe(2);
});

it('closes: what is on its way may arrive, nothing is tried again', async () => {
  const { deliver, attempts } = failing(9, new NotDelivered('ECONNECTION', false));
  let began = () => {};
  const waiting = new Promise<void>((resolve) => {
    began = resolve;
  });
  const { outbox } = outboxWith({
    deliver,
    sleep: (_, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve());
        began();
      }),
  });
  outbox.send(MAIL);
  await waiting;
  await outbox.close();
  expect(attempts()).toBe(2);
});
