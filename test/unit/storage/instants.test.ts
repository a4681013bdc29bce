/**
 * Time limits that a statement or a use case compares itself: a millisecond before each, at it, and a millisecond after. The
 * comparisons of the machines are in test/unit/machines/guards.test.ts, those of housekeeping in active-rows-stay.test.ts.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHALLENGE_SECONDS } from '../../../src/crypto/passkey-challenge.ts';
import { systemRandom } from '../../../src/crypto/random.ts';
import { type Session, signedInRecently } from '../../../src/model/session.ts';
import { NO_PARAMETERS } from '../../../src/people/external/begin.ts';
import { openContents, queuedMail } from '../../../src/people/mail/contents.ts';
import { freshChallenge, readAnswer } from '../../../src/people/passkeys/challenge.ts';
import { sealSecret, stepOfCode } from '../../../src/people/second-factor/secret.ts';
import { CLOCK_TOLERANCE_SECONDS, isRecentEnough } from '../../../src/people/upstream/admission.ts';
import { consoleSessionStore } from '../../../src/storage/console-sessions.ts';
import { idempotencyKeyStore } from '../../../src/storage/idempotency-keys.ts';
import { mailQueue } from '../../../src/storage/mails.ts';
import { mails, webhookDeliveries, webhookReceivers } from '../../../src/storage/schema.ts';
import { signInFailureStore } from '../../../src/storage/sign-in-failures.ts';
import { webhookStore } from '../../../src/storage/webhooks.ts';
import { testKeys } from '../../support/macs.ts';
import { givenUser, openPorts, type Ports } from './ports.ts';

let ports: Ports;
beforeAll(async () => {
  ports = await openPorts('embedded');
});
afterAll(() => ports.close());

const MINUTE = 60_000;
const HOUR = 3_600_000;
const sealing = { keys: testKeys, random: systemRandom };

/** @param passed milliseconds since it began. @returns whether it holds then. */
type Limit = {
  readonly milliseconds: number;
  /** Whether it holds a millisecond before, at the limit, and a millisecond after. */
  readonly holds: readonly [boolean, boolean, boolean];
  readonly holdsAfter: (passed: number) => Promise<boolean>;
};
const UNTIL = [true, false, false] as const;
const THROUGH = [true, true, false] as const;

const pass = (milliseconds: number) => ports.clock.advanceSeconds(milliseconds / 1000);
const failures = () => signInFailureStore(ports.db, ports.clock);
async function failed(): Promise<Buffer> {
  const key = randomBytes(32);
  await failures().count([key], 60);
  return key;
}
async function consoleSession() {
  const store = consoleSessionStore(ports.db, ports.clock);
  const idHash = randomBytes(32);
  const { id: userId } = await givenUser(ports);
  const times = { tokenLifetimeSeconds: 120, renewAfterSeconds: 60 };
  await store.save({ idHash, formId: randomUUID(), userId, sealedToken: 'sealed', ...times });
  return () => store.find(idHash);
}
const deliveryTo = (receiver: string) => ({
  ...{ id: randomUUID(), receiver, eventId: randomUUID(), eventType: 'user.disabled', userId: null, data: {} },
  occurredAt: ports.clock.now(),
});
/** Of a domain of its own: of each domain one mail is due. */
const mail = () => {
  const to = `ada@${randomUUID()}.example`;
  return queuedMail(sealing, { kind: 'sign_up_wanted', to, languages: [], resumption: null }, ports.clock.now());
};

const LIMITS: Readonly<Record<string, Limit>> = {
  'the key of a request that is not carried out twice': {
    milliseconds: MINUTE,
    holds: UNTIL,
    holdsAfter: async (passed) => {
      const store = idempotencyKeyStore(ports.db, ports.clock);
      const [name, requestHash, salt] = [randomBytes(32), randomBytes(32), randomBytes(16)];
      const claim = { name, requestHash, salt, rootKeyId: testKeys.first.id, seconds: 60 };
      await store.claim(claim);
      pass(passed);
      return !(await store.claim(claim)).isNew;
    },
  },
  'the window of failed sign-ins': {
    milliseconds: MINUTE,
    holds: UNTIL,
    holdsAfter: async (passed) => {
      const key = await failed();
      pass(passed);
      return (await failures().recentOf([key])).failures[0]?.failures === 1;
    },
  },
  'the window of failed sign-ins, for the next failure': {
    milliseconds: MINUTE,
    holds: UNTIL,
    holdsAfter: async (passed) => {
      const key = await failed();
      pass(passed);
      return (await failures().count([key], 60))[0] === 2;
    },
  },
  'the time until a token of the console is renewed': {
    milliseconds: MINUTE,
    holds: UNTIL,
    holdsAfter: async (passed) => {
      const find = await consoleSession();
      pass(passed);
      return (await find())?.renewalIsDue === false;
    },
  },
  'a token of the console': {
    milliseconds: 2 * MINUTE,
    holds: UNTIL,
    holdsAfter: async (passed) => {
      const find = await consoleSession();
      pass(passed);
      return (await find())?.tokenHasEnded === false;
    },
  },
  'the wait for the next attempt of a delivery': {
    milliseconds: MINUTE,
    holds: UNTIL,
    holdsAfter: async (passed) => {
      const store = webhookStore(ports.db, ports.clock);
      const receiver = randomUUID();
      const nextAttemptAt = new Date(ports.clock.now().getTime() + MINUTE);
      await store.add(deliveryTo(receiver), 3600);
      await ports.db.update(webhookDeliveries).set({ nextAttemptAt }).where(eq(webhookDeliveries.receiver, receiver));
      pass(passed);
      return (await store.due(receiver, 10, null)).length === 0;
    },
  },
  'an endpoint of webhooks that no node names, for its deliveries': {
    milliseconds: HOUR,
    holds: THROUGH,
    holdsAfter: async (passed) => {
      const store = webhookStore(ports.db, ports.clock);
      const delivery = deliveryTo(randomUUID());
      await store.keep([delivery.receiver]);
      await store.add(delivery, 86_400);
      pass(passed);
      return !(await store.ofForgottenReceivers()).includes(delivery.id);
    },
  },
  'an endpoint of webhooks that no node names': {
    milliseconds: HOUR,
    holds: THROUGH,
    holdsAfter: async (passed) => {
      const store = webhookStore(ports.db, ports.clock);
      const name = randomUUID();
      await store.keep([name]);
      pass(passed);
      await store.removeOld(60);
      return (await ports.db.select().from(webhookReceivers).where(eq(webhookReceivers.name, name))).length === 1;
    },
  },
  'a delivery that has ended': {
    milliseconds: MINUTE,
    holds: THROUGH,
    holdsAfter: async (passed) => {
      const store = webhookStore(ports.db, ports.clock);
      const delivery = deliveryTo(randomUUID());
      await store.add(delivery, 86_400);
      const ended = { state: 'delivered', attempts: 1, nextAttemptAt: null, endedAt: ports.clock.now() } as const;
      const isIt = eq(webhookDeliveries.id, delivery.id);
      await ports.db.update(webhookDeliveries).set(ended).where(isIt);
      pass(passed);
      await store.removeOld(60);
      return (await ports.db.select().from(webhookDeliveries).where(isIt)).length === 1;
    },
  },
  'the sealed words of a mail': {
    milliseconds: 0,
    holds: THROUGH,
    holdsAfter: async (passed) => {
      const { id, sealedContents, givesUpAt } = mail();
      return openContents(testKeys, { id, sealedContents }, new Date(givesUpAt.getTime() + passed)) !== null;
    },
  },
  'the wait for the next attempt of a mail': {
    milliseconds: MINUTE,
    holds: UNTIL,
    holdsAfter: async (passed) => {
      const queue = mailQueue(ports.db, ports.clock);
      const queued = mail();
      await queue.add(queued, null);
      const nextAttemptAt = new Date(ports.clock.now().getTime() + MINUTE);
      await ports.db.update(mails).set({ nextAttemptAt }).where(eq(mails.id, queued.id));
      pass(passed);
      return !(await queue.due()).some(({ id }) => id === queued.id);
    },
  },
  'the challenge of a passkey': {
    milliseconds: CHALLENGE_SECONDS * 1000,
    holds: UNTIL,
    holdsAfter: async (passed) => {
      const began = Math.floor(ports.clock.now().getTime() / 1000) * 1000;
      const deps = (now: number) => ({
        ...sealing,
        challenges: { spend: async () => true },
        now: () => new Date(now),
      });
      const challenge = freshChallenge(deps(began), 'a purpose').toString('base64url');
      const clientDataJSON = Buffer.from(JSON.stringify({ challenge })).toString('base64url');
      const sent = JSON.stringify({ id: 'a', response: { clientDataJSON } });
      return readAnswer(deps(began + passed), 'a purpose', sent) !== null;
    },
  },
  'a recent sign-in': {
    milliseconds: 10 * MINUTE,
    holds: THROUGH,
    holdsAfter: async (passed) => {
      const signedInAt = ports.clock.now();
      const session = { signedInAt } as Session;
      return signedInRecently(session, { recentSignInSeconds: 600 }, new Date(signedInAt.getTime() + passed));
    },
  },
  'a sign-in at an identity provider, for max_age': {
    milliseconds: (300 + CLOCK_TOLERANCE_SECONDS) * 1000,
    holds: THROUGH,
    holdsAfter: async (passed) => {
      const now = ports.clock.now();
      const asked = { requested: { ...NO_PARAMETERS, maxAgeSeconds: 300 }, beganAt: now };
      return isRecentEnough(asked, (now.getTime() - passed) / 1000, now);
    },
  },
  'a sign-in at an identity provider before the request, for prompt=login': {
    milliseconds: CLOCK_TOLERANCE_SECONDS * 1000,
    holds: THROUGH,
    holdsAfter: async (passed) => {
      const beganAt = ports.clock.now();
      const asked = { requested: { ...NO_PARAMETERS, prompt: ['login' as const] }, beganAt };
      return isRecentEnough(asked, (beganAt.getTime() - passed) / 1000, beganAt);
    },
  },
};

describe.each(Object.entries(LIMITS))('%s', (_, { milliseconds, holds, holdsAfter }) => {
  it.each([
    ['a millisecond before', -1, holds[0]],
    ['at', 0, holds[1]],
    ['a millisecond after', 1, holds[2]],
  ])('%s its limit', async (_, offset, expected) => {
    expect(await holdsAfter(milliseconds + offset)).toBe(expected);
  });
});

/** RFC 6238 §5.2: one step before and after, for clocks that differ. */
describe('the code of an authenticator app', () => {
  const STEP_SECONDS = 30;
  const SECRET = 'JBSWY3DPEHPK3PXP';
  const step = Math.floor(Date.UTC(2030, 0, 1) / 1000 / STEP_SECONDS);
  const factor = { id: randomUUID(), userId: 'u', state: 'active', lastStep: null } as never as Parameters<
    ReturnType<typeof stepOfCode>['stepOf']
  >[0];
  const codeOf = (of: number) => new TOTP({ secret: SECRET }).generate({ timestamp: of * STEP_SECONDS * 1000 });

  it.each([
    [-2, false],
    [-1, true],
    [0, true],
    [1, true],
    [2, false],
  ])('%i steps from now counts: %s, from the first millisecond of a step to its last', (away, counts) => {
    const sealedSecret = sealSecret(sealing, factor, SECRET);
    const { stepOf } = stepOfCode(sealing, codeOf(step + away));
    for (const at of [0, 1, STEP_SECONDS * 1000 - 1]) {
      const found = stepOf({ ...factor, sealedSecret }, new Date(step * STEP_SECONDS * 1000 + at));
      expect(found).toBe(counts ? step + away : null);
    }
  });
});
