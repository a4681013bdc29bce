/** The mail about a sign-in from a new device, when the lookup runs late. */
import { expect, it } from 'vitest';
import { notifyOfNewDevice } from '../../../src/people/mail/new-device.ts';

const AT = new Date('2030-01-01T00:00:00Z');
const later = (seconds: number) => new Date(AT.getTime() + seconds * 1000);
type Deps = Parameters<typeof notifyOfNewDevice>[0];
type Session = Parameters<typeof notifyOfNewDevice>[1];

const session = (sid: string, signedInAt: Date, userAgent: string) =>
  ({ sid, signedInAt, userAgent, userId: 'u', username: 'alice', lastUsedAt: signedInAt }) as unknown as Session;

/** @returns how many lookups of a recipient followed, each for one mail */
async function mailsAbout(signedIn: Session, sessions: readonly Session[]): Promise<number> {
  const waiting: (() => Promise<void>)[] = [];
  let lookups = 0;
  const deps = {
    issuer: 'https://as.test',
    accounts: {
      find: async () => {
        lookups++;
        return null;
      },
    },
    sessions: { list: async () => ({ sessions }) },
    isKnownDevice: () => false,
    outbox: { later: async (work: () => Promise<void>) => void waiting.push(work) },
  } as unknown as Deps;
  notifyOfNewDevice(deps, signedIn);
  for (let work = waiting.shift(); work !== undefined; work = waiting.shift()) await work();
  return lookups;
}

const [first, second] = [session('1', AT, 'Safari'), session('2', later(5), 'Firefox')];

it('reports a sign-in that has an earlier session in another browser', async () => {
  expect(await mailsAbout(second, [first, second])).toBe(1);
});

it('reports no first sign-in, also when a later sign-in precedes the lookup', async () => {
  expect(await mailsAbout(first, [first])).toBe(0);
  expect(await mailsAbout(first, [first, second])).toBe(0);
});
