/** Every limit by address: 65 /64 networks of one site do not count as 65 independent sources. */
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { rawSecret } from '../../../src/crypto/secret-types.ts';
import { addressKey, networkOf } from '../../../src/http/address-key.ts';
import { networksOf } from '../../../src/model/networks.ts';
import { beginExternalSignIn } from '../../../src/people/external/begin.ts';
import { allowMail } from '../../../src/people/mail/limits.ts';
import { clientThrottle } from '../../../src/protocol/client-throttle.ts';
import { type SignInDeps, verifyCredentials } from '../../../src/protocol/sign-in.ts';
import { handleTokenRequest } from '../../../src/protocol/token-request.ts';
import { rateLimit } from '../../../src/system/rate-limit.ts';
import { keys, tokenEndpoints } from './memory.ts';
import { at, configuration } from './ports.ts';

const NETWORKS = 65;
const networkOfSite = (number: number, site = '1') => `2001:db8:${site}:${number.toString(16)}::/64`;

/** As the table of failures counts, within one window. */
function countsInMemory() {
  const counts = new Map<string, number>();
  const statements: number[] = [];
  const nameOf = (key: Buffer) => key.toString('hex');
  return {
    statements,
    count: async (hashes: readonly Buffer[]) => {
      statements.push(hashes.length);
      for (const key of hashes) counts.set(nameOf(key), (counts.get(nameOf(key)) ?? 0) + 1);
      return hashes.map((key) => counts.get(nameOf(key)) ?? 0);
    },
    recentOf: async (hashes: readonly Buffer[]) => ({
      now: at(0),
      failures: hashes.map((key) => ({ failures: counts.get(nameOf(key)) ?? 0, secondsSince: 0, secondsLeft: 900 })),
    }),
  };
}

type Limiter = {
  /** The limit of one address in a window. */
  readonly limit: number;
  /** One attempt. @returns whether it was within the limit. */
  readonly ask: (address: string) => Promise<boolean>;
};

let serial = 0;

const LIMITERS: Readonly<Record<string, () => Limiter>> = {
  'token requests': () => {
    const limits = { ...configuration().limits, tokenRequestsPerSecondByAddress: 2 };
    const { deps } = tokenEndpoints([], [], { configuration: configuration({ limits }) });
    const tokenRates = { client: rateLimit(() => 0), address: rateLimit(() => 0) };
    return {
      limit: 20,
      ask: async (address) => {
        const sender = {
          authorization: undefined,
          dpop: undefined,
          address: () => address,
          presenter: () => ({}) as never,
        };
        const { outcome } = await handleTokenRequest({ ...deps, tokenRates }, sender, '');
        return !('reason' in outcome && outcome.reason === 'address_rate_exceeded');
      },
    };
  },
  'wrong secrets of clients': () => {
    const throttle = clientThrottle(keys, () => 0);
    return {
      limit: 20,
      ask: async (address) => {
        const guesser = { clientId: 'shop', address: () => address };
        const isWithin = throttle.waitSeconds(guesser) === null;
        if (isWithin) throttle.count(guesser, rawSecret(`guess ${++serial}`));
        return isWithin;
      },
    };
  },
  'mails, of a new password and of a sign-up': () => {
    const mailCounts = countsInMemory();
    return {
      limit: 50,
      ask: async (network) => {
        const allowance = await allowMail({ keys, mailCounts }, { address: `${++serial}@example.com`, network });
        return allowance.kind === 'allowed';
      },
    };
  },
  'sign-ins at identity providers': () => {
    const deps = {
      keys,
      signInFailures: countsInMemory(),
      random: { bytes: (size: number) => Buffer.alloc(size), uuid: () => 'an id' },
      externalSignIns: { insert: async () => {} },
    } as unknown as Parameters<typeof beginExternalSignIn>[0];
    const place = { kind: 'upstream', provider: 'x', lifetimeSeconds: 60, secrets: null } as const;
    const beginning = { browser: Buffer.alloc(32), interaction: null, linkTo: null, requested: null };
    return {
      limit: 2000,
      ask: async (address) => (await beginExternalSignIn(deps, place, { ...beginning, address })).kind === 'begun',
    };
  },
  'failed sign-ins, each at another account': () => {
    const now = { ...configuration(), signIn: { ...configuration().signIn, failuresPerAddress: 20 } };
    const run = async (_: unknown, work: () => unknown) => ({ kind: 'done', value: await work() });
    const deps = {
      keys,
      configuration: () => now,
      users: { findForSignIn: async () => null, accountKeyOf: async (typed: string) => typed },
      signInFailures: countsInMemory(),
      signInLedger: { refused: async () => {} },
      signInCapacity: { attempts: { run }, hashes: { run: async () => ({ kind: 'done', value: { matches: false } }) } },
    } as unknown as SignInDeps;
    return {
      limit: 20,
      ask: async (address) => {
        const form = { username: `user ${++serial}`, password: 'a guess', address, cookie: { browser: null } };
        const refused = await verifyCredentials(deps, { ...form, gone: new AbortController().signal });
        return refused.kind === 'signInRefused' && refused.reason === 'credentials_mismatch';
      },
    };
  },
};

describe.each(Object.entries(LIMITERS))('the limit of %s', (_, limiter) => {
  it('is 16 times as large for a /48 as for a /64 of it', async () => {
    const { limit, ask } = limiter();
    const each = Math.ceil((16 * limit + 1) / NETWORKS);
    expect(each).toBeLessThanOrEqual(limit);
    const answers: boolean[] = [];
    for (let number = 0; number < NETWORKS; number++) {
      for (let time = 0; time < each; time++) answers.push(await ask(networkOfSite(number)));
    }
    expect(answers.indexOf(false)).toBe(16 * limit);
    expect(answers.slice(16 * limit)).not.toContain(true);
    expect(await ask(networkOfSite(NETWORKS))).toBe(false);
    expect(await ask(networkOfSite(0, '2'))).toBe(true);
    expect(await ask('198.51.100.7')).toBe(true);
  });

  it.each(['198.51.100.7', networkOfSite(7)])(
    'is reached by one network (%s), and not by its neighbour',
    async (own) => {
      const { limit, ask } = limiter();
      const answers: boolean[] = [];
      for (let time = 0; time <= limit; time++) answers.push(await ask(own));
      expect(answers.indexOf(false)).toBe(limit);
      expect(await ask('198.51.100.8')).toBe(true);
      expect(await ask(networkOfSite(8))).toBe(true);
    },
  );
});

it.each([
  ['198.51.100.7', [['198.51.100.7', 1]]],
  ['unknown', [['unknown', 1]]],
  [
    '2001:db8:0:1::/64',
    [
      ['2001:db8:0:1::/64', 1],
      ['2001:db8:0::/48', 16],
    ],
  ],
])('%s belongs to its networks', (caller, networks) => {
  expect(networksOf(caller).map(({ key, times }) => [key, times])).toEqual(networks);
});

it.each(['198.51.100.7', '2001:db8:0:1::9', '::1', 'garbage'])(
  'bodies of %s are counted by its widest network',
  (ip) => {
    const caller = addressKey(ip, '');
    expect(networkOf({ ip, socket: {} } as Parameters<typeof networkOf>[0])).toBe(networksOf(caller).at(-1)?.key);
  },
);

/** These count nothing by address. */
const WITHOUT_ADDRESS = [
  'src/crypto/root-secret.ts',
  // The hash of an administrator's address, for the ledger.
  'src/management/who.ts',
  // By end-user and browser.
  'src/people/second-factor/prove.ts',
];

it('every throttle asks for the networks of a caller', async () => {
  const throttling: string[] = [];
  for await (const file of glob('src/**/*.ts')) {
    const source = readFileSync(file, 'utf8');
    if (!/'throttle'|tokenRates\.address/.test(source) || WITHOUT_ADDRESS.includes(file)) continue;
    throttling.push(file);
    expect(source, `${file} has a limit for each address and none for its site`).toMatch(
      /\b(?:networksOf|firstWaitOf)\(/,
    );
  }
  expect(throttling.length).toBeGreaterThanOrEqual(Object.keys(LIMITERS).length);
});
