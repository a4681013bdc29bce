/** The rules of sign-ins and mails that need no database: each bound, with what is a step beside it. */
import { describe, expect, it } from 'vitest';
import type { Upstream } from '../../../policies/upstreams-schema.ts';
import { openText } from '../../../src/crypto/sealed-text.ts';
import type { RequestedParameters } from '../../../src/lifecycles/external-sign-in/entity.ts';
import type { NewExternalSignIn } from '../../../src/lifecycles/external-sign-in/lifecycle.ts';
import type { Session } from '../../../src/model/session.ts';
import type { RegisteredUser } from '../../../src/model/user.ts';
import { endDevice } from '../../../src/people/account/devices.ts';
import { drawLink, hashOfSecret, LINK_LIFETIME_SECONDS } from '../../../src/people/email/links.ts';
import {
  beginExternalSignIn,
  NO_PARAMETERS,
  referenceHash,
  requestedDirectly,
  requestedOf,
  secretsOf,
} from '../../../src/people/external/begin.ts';
import { claimsOf, usernamesFor } from '../../../src/people/external/just-in-time-user.ts';
import { readAddress } from '../../../src/people/mail/address.ts';
import { allowMail, allowMailToAddress, allowMailToKnownDevice } from '../../../src/people/mail/limits.ts';
import { languagesOf, timeZoneOf } from '../../../src/people/mail/mail.ts';
import { passwordWords } from '../../../src/people/passwords/rules.ts';
import { admits, isRecentEnough, methodsOf } from '../../../src/people/upstream/admission.ts';
import { testKeys } from '../../support/macs.ts';

const SECRET = 'aB3_-'.repeat(9).slice(0, 43);

describe('an address', () => {
  it.each([
    ['ada@example.com', 'ada@example.com'],
    [' ada@example.com\n', 'ada@example.com'],
    ['a@b', 'a@b'],
    ["o'hara+news@sub.example-1.com", "o'hara+news@sub.example-1.com"],
    ['a\u0308@exa\u0308mple.de', 'ä@exämple.de'],
    [`${'a'.repeat(242)}@example.com`, `${'a'.repeat(242)}@example.com`],
    [`${'a'.repeat(243)}@example.com`, null],
    [null, null],
    ['', null],
    ['@example.com', null],
    ['ada@', null],
    ['ada', null],
    ['ada@@example.com', null],
    ['ada@example@com', null],
    ['ada lovelace@example.com', null],
    ['"ada"@example.com', null],
    ['ada@example.com, eve@evil.test', null],
    ['ada@example.com\r\nBcc: eve@evil.test', null],
    ['ada\u200b@example.com', null],
    ['ada\0@example.com', null],
    ['\ud800@example.com', null],
    ['ada@example..com', null],
    ['ada@.example.com', null],
    ['ada@example.com.', null],
    ['ada@-example.com', null],
    ['ada@example-.com', null],
    ['ada@exam!ple.com', null],
  ])('%j is read as %j', (typed, expected) => {
    expect(readAddress(typed)).toBe(expected);
  });
});

describe('a secret in a URL', () => {
  const SECRETS = [
    SECRET.slice(1),
    `${SECRET}a`,
    `=${SECRET.slice(1)}`,
    `${SECRET.slice(1)}=`,
    `x ${SECRET}`,
    `${SECRET}\n`,
    '',
  ];
  it.each(SECRETS)('is none of a link or of a federated sign-in: %j', (text) => {
    expect(hashOfSecret(text)).toBeNull();
    expect(referenceHash(text)).toBeNull();
  });
  it('has its hash', () => {
    expect(hashOfSecret(SECRET)).toHaveLength(32);
    expect(hashOfSecret(SECRET)).toEqual(referenceHash(SECRET));
    expect(hashOfSecret(null)).toBeNull();
  });

  it.each([
    ['reset_password', 1800],
    ['lost_factors', 1800],
    ['verify_address', 86_400],
    ['change_address', 86_400],
    ['sign_up', 86_400],
    ['undo_change', 604_800],
    ['invitation', 604_800],
  ] as const)('of a link for %s is valid for %d seconds', (purpose, lifetimeSeconds) => {
    const random = { bytes: (size: number) => Buffer.alloc(size, 7), uuid: () => 'id' };
    const secret = Buffer.alloc(32, 7).toString('base64url');
    expect(drawLink({ issuer: 'https://as.test/x', random }, purpose)).toEqual({
      id: 'id',
      secretHash: hashOfSecret(secret),
      url: `https://as.test/x/email/link?t=${secret}`,
      lifetimeSeconds,
    });
    expect(Object.keys(LINK_LIFETIME_SECONDS)).toHaveLength(7);
  });
});

describe('the limits of mails', () => {
  const counting = (...counts: readonly number[]) => {
    const keyHashes: string[][] = [];
    const count = async (hashes: readonly Buffer[], windowSeconds: number) => {
      expect(windowSeconds).toBe(3600);
      keyHashes.push(hashes.map((hash) => hash.toString('hex')));
      return counts;
    };
    return { keyHashes, deps: { keys: testKeys, mailCounts: { count } } };
  };
  const asked = { address: 'Ada@example.com', network: '2001:db8:1:2::/64' };
  const FULL = { kind: 'networkIsFull', retryAfterSeconds: 3600 };

  it.each([
    [[5, 20, 50, 800], { kind: 'allowed' }],
    [[6, 6, 50, 800], { kind: 'addressIsFull' }],
    [[1, 21, 50, 800], { kind: 'addressIsFull' }],
    [[1, 1, 51, 1], FULL],
    [[1, 1, 50, 801], FULL],
    [[6, 21, 51, 801], FULL],
    [[], { kind: 'allowed' }],
  ])('with the counts %j: %j', async (counts, expected) => {
    expect(await allowMail(counting(...counts).deps, asked)).toEqual(expected);
  });

  it('count each address, network, end-user and device by itself', async () => {
    const { keyHashes, deps } = counting();
    await allowMail(deps, asked);
    await allowMail(deps, { ...asked, address: 'ada@EXAMPLE.com' });
    await allowMail(deps, { ...asked, address: 'eve@example.com' });
    await allowMail(deps, { ...asked, network: '192.0.2.1' });
    const [first, sameAddress, otherAddress, otherNetwork] = keyHashes.splice(0);
    expect(sameAddress).toEqual(first);
    expect(otherAddress?.slice(2)).toEqual(first?.slice(2));
    expect(otherAddress?.[0]).not.toBe(first?.[0]);
    expect(otherAddress?.[1]).not.toBe(first?.[1]);
    expect(otherNetwork).toHaveLength(3);
    expect(otherNetwork?.slice(0, 2)).toEqual(first?.slice(0, 2));
    for (const [userId, device] of [
      ['u', 'd'],
      ['u', 'e'],
      ['v', 'd'],
      ['d', 'u'],
    ] as const)
      await allowMailToKnownDevice(deps, { userId, device });
    // The same text as an address, a network and a device has another key for each.
    await allowMail(deps, { address: 'x', network: 'x' });
    const all = [...(first ?? []), ...(otherNetwork?.slice(2) ?? []), ...keyHashes.flat()];
    expect(new Set(all).size).toBe(all.length);
  });

  it.each([
    ['ada+1@example.com', 'ada+2@example.com', true],
    ['ada+1@example.com', 'Ada@Example.com', true],
    ['ada@ex\u00e4mple.de', 'ada@xn--exmple-cua.de', true],
    ['ada@\uff45xample.com', 'ada@example.com', true],
    ['+1@example.com', '+2@example.com', false],
    ['ada@example.com', 'ada@example.org', false],
  ])('%s and %s are of one mailbox: %j', async (one, other, isOne) => {
    const { keyHashes, deps } = counting();
    for (const address of [one, other]) await allowMailToAddress(deps, address);
    const [[ofOne, first] = [], [ofOther, second] = []] = keyHashes;
    expect(first).toBeDefined();
    expect([ofOne === ofOther, first === second]).toEqual([false, isOne]);
  });

  it.each([
    [[5, 20], true],
    [[6, 6], false],
    [[1, 21], false],
  ])('to an address of an account, with the counts %j: %j', async (counts, isSent) => {
    expect(await allowMailToAddress(counting(...counts).deps, 'ada@example.com')).toBe(isSent);
  });

  it.each([
    [5, true],
    [6, false],
  ])('of a trusted device: the mail %d is sent: %j', async (count, isSent) => {
    expect(await allowMailToKnownDevice(counting(count).deps, { userId: 'u', device: 'd' })).toBe(isSent);
  });

  it('a mail has the language of its end-user before those of the browser, and the time zone', () => {
    const user = (claims: object) => ({ claims }) as unknown as RegisteredUser;
    expect(languagesOf(user({ locale: 'de' }), ['fr', 'en'])).toEqual(['de', 'fr', 'en']);
    expect(languagesOf(user({ locale: 1 }), ['fr'])).toEqual(['fr']);
    expect(timeZoneOf(user({ zoneinfo: 'Europe/Berlin' }))).toBe('Europe/Berlin');
    expect(timeZoneOf(user({ zoneinfo: ['Europe/Berlin'] }))).toBeNull();
    expect(timeZoneOf(user({}))).toBeNull();
  });
});

describe('the admission of a federated sign-in', () => {
  const admit = (policy: object, claims: object) =>
    admits({ admit: policy } as Pick<Upstream, 'admit'>, claims as Parameters<typeof admits>[1]);
  const domains = { emailDomains: ['example.com'] };
  const verified = (email: unknown) => ({ email, email_verified: true });
  it.each([
    [{}, {}, true],
    [domains, verified('ada@example.com'), true],
    [domains, verified('ada@EXAMPLE.com'), true],
    [domains, verified('ada@evil.test@example.com'), true],
    [domains, { email: 'ada@example.com' }, false],
    [domains, { email: 'ada@example.com', email_verified: 'true' }, false],
    [domains, verified('ada@sub.example.com'), false],
    [domains, verified('ada@example.com.evil.test'), false],
    [domains, verified('ada@example.com@evil.test'), false],
    [domains, verified('ada@notexample.com'), false],
    [domains, verified('@example.com'), false],
    [domains, verified('example.com'), false],
    [domains, verified(['ada@example.com']), false],
    [domains, {}, false],
    ...[
      ['staff', true],
      [['guest', 'staff'], true],
      ['staf', false],
      ['staffs', false],
      ['STAFF', false],
      [['guest'], false],
      [[], false],
      [undefined, false],
      [true, false],
    ].map(([groups, isAdmitted]) => [{ claim: { name: 'groups', values: ['staff'] } }, { groups }, isAdmitted]),
    [{ claim: { name: 'employee', values: ['true'] } }, { employee: true }, true],
    [{ claim: { name: 'employee', values: ['true'] } }, { employee: false }, false],
    [
      { ...domains, claim: { name: 'groups', values: ['staff'] } },
      { ...verified('ada@example.com'), groups: 'staff' },
      true,
    ],
    [{ ...domains, claim: { name: 'groups', values: ['staff'] } }, { groups: 'staff' }, false],
    [{ ...domains, claim: { name: 'groups', values: ['staff'] } }, verified('ada@example.com'), false],
  ] as readonly (readonly [object, object, boolean])[])('%j of %j: %j', (policy, claims, isAdmitted) => {
    expect(admit(policy, claims)).toBe(isAdmitted);
  });

  const BEGAN = 1_900_000_000;
  const NOW = BEGAN + 30;
  it.each([
    [[], null, null, true],
    [[], null, 0, true],
    [['login'], null, null, false],
    [['login'], null, BEGAN - 60, true],
    [['login'], null, BEGAN - 61, false],
    [['select_account'], null, null, true],
    [[], 100, null, false],
    [[], 100, NOW - 160, true],
    [[], 100, NOW - 161, false],
    [[], 0, NOW - 60, true],
    [[], 0, NOW - 61, false],
    [['login'], 100, BEGAN - 60, true],
    [['login'], 100, BEGAN - 61, false],
    [['login'], 1000, BEGAN - 61, false],
    [['login'], 0, BEGAN - 60, false],
  ] as const)('prompt %j and max_age %j with auth_time %j: %j', (prompt, maxAgeSeconds, authTime, isRecent) => {
    const signIn = { requested: { ...NO_PARAMETERS, prompt, maxAgeSeconds }, beganAt: new Date(BEGAN * 1000) };
    expect(isRecentEnough(signIn, authTime, new Date(NOW * 1000))).toBe(isRecent);
  });

  it.each([
    [{ acr: ['gold'], amr: [] }, { acr: 'gold', amr: ['pwd', 'hwk'] }, ['pwd', 'hwk', 'mfa']],
    [{ acr: ['gold'], amr: [] }, { acr: 'silver', amr: ['pwd', 'mfa'] }, ['pwd']],
    [{ acr: ['gold'], amr: [] }, { acr: null, amr: ['pwd', 'swk'] }, ['pwd']],
    [{ acr: [], amr: ['otp'] }, { acr: null, amr: ['pwd', 'otp'] }, ['pwd', 'otp', 'mfa']],
    [{ acr: [], amr: ['otp'] }, { acr: 'otp', amr: ['pwd'] }, ['pwd']],
    [{ acr: ['gold'], amr: ['otp'] }, { acr: null, amr: ['otp'] }, ['otp', 'mfa']],
    [{ acr: ['gold'], amr: ['otp'] }, { acr: 'gold', amr: [] }, ['mfa']],
  ])('with the policy %j, %j is %j', (multiFactor, redeemed, methods) => {
    expect(methodsOf({ multiFactor }, redeemed)).toEqual(methods);
  });
});

describe('the beginning of a federated sign-in', () => {
  const SECRETS = { nonce: 'n', codeVerifier: 'v' };
  const place = { kind: 'upstream', provider: 'acme', lifetimeSeconds: 600, secrets: SECRETS } as const;
  const requested: RequestedParameters = { ...NO_PARAMETERS, clientId: 'shop', loginHint: 'ada' };
  const endsAt = new Date(0);
  const asking = { id: 'interaction', sealed: 'sealed', endsAt, requested };
  const beginning = { browser: Buffer.alloc(32, 1), address: '2001:db8:1:2::/64', linkTo: null } as const;
  const bench = (...counts: readonly number[]) => {
    const inserted: NewExternalSignIn[] = [];
    const deps = {
      keys: testKeys,
      random: { bytes: (size: number) => Buffer.alloc(size, 7), uuid: () => 'id' },
      signInFailures: {
        count: async (keyHashes: readonly Buffer[], windowSeconds: number) => {
          expect([new Set(keyHashes.map(String)).size, windowSeconds]).toEqual([2, 900]);
          return counts;
        },
      },
      externalSignIns: { insert: async (row: NewExternalSignIn) => void inserted.push(row) },
    } as unknown as Parameters<typeof beginExternalSignIn>[0];
    return { inserted, deps };
  };

  it('is stored without the login hint, and its secrets are sealed', async () => {
    const { inserted, deps } = bench(1, 1);
    const reference = Buffer.alloc(32, 7).toString('base64url');
    const begun = await beginExternalSignIn(deps, place, { ...beginning, interaction: asking, requested: null });
    expect(begun).toEqual({ kind: 'begun', reference });
    const [{ sealedSecrets, ...row } = { sealedSecrets: null }] = inserted;
    expect(row).toEqual({
      id: 'id',
      referenceHash: referenceHash(reference),
      kind: 'upstream',
      provider: 'acme',
      lifetimeSeconds: 600,
      purpose: 'signIn',
      userId: null,
      browserHash: beginning.browser,
      interactionId: 'interaction',
      sealedInteraction: 'sealed',
      interactionEndsAt: endsAt,
      requested: { ...requested, loginHint: null },
    });
    expect(openText(testKeys, 'external-sign-in', 'id', sealedSecrets ?? '')).toBe(JSON.stringify(SECRETS));
    const opened = (id: string, sealed: string | null) => secretsOf(testKeys, { id, sealedSecrets: sealed } as never);
    expect(opened('id', sealedSecrets)).toEqual(SECRETS);
    expect(opened('other', sealedSecrets)).toBeNull();
    expect(opened('id', null)).toBeNull();
  });

  it('of a link names the end-user, without an interaction and secrets', async () => {
    const { inserted, deps } = bench();
    const alone = { ...beginning, linkTo: 'alice', interaction: null, requested: requestedDirectly('/account', true) };
    await beginExternalSignIn(deps, { ...place, secrets: null }, alone);
    expect(inserted).toMatchObject([
      {
        purpose: 'link',
        userId: 'alice',
        interactionId: null,
        sealedInteraction: null,
        interactionEndsAt: null,
        sealedSecrets: null,
        requested: { ...NO_PARAMETERS, destination: '/account', prompt: ['login'] },
      },
    ]);
    expect(requestedDirectly(null, false)).toEqual(NO_PARAMETERS);
    expect(requestedOf({ interaction: asking, requested: NO_PARAMETERS })).toBe(requested);
    expect(requestedOf({ interaction: null, requested: null })).toBe(NO_PARAMETERS);
  });

  it.each([
    [[2000, 32_000], 'begun'],
    [[2001, 1], 'throttled'],
    [[1, 32_001], 'throttled'],
  ] as const)('with the counts %j is %s', async (counts, kind) => {
    const { inserted, deps } = bench(...counts);
    const begun = await beginExternalSignIn(deps, place, { ...beginning, interaction: asking, requested: null });
    expect(begun).toMatchObject(kind === 'begun' ? { kind } : { kind, retryAfterSeconds: 900 });
    expect(inserted).toHaveLength(kind === 'begun' ? 1 : 0);
  });
});

describe('a just-in-time user', () => {
  const acceptableUsername = (text: unknown) => (typeof text === 'string' ? text : null);
  const names = (
    wanted: readonly unknown[],
    operators: readonly string[] = [],
    auditors: readonly string[] = [],
    identifiers = 'username',
    claims = {},
  ) => {
    const scopes = [{ name: 'users:read' }, { name: 'users:write' }];
    const configuration = () =>
      ({ management: { scopes }, operators: { operators, auditors, clients: [] }, signIn: { identifiers } }) as never;
    const random = { bytes: (size: number) => Buffer.alloc(size, 0xab), uuid: () => '' };
    return usernamesFor({ random, configuration }, { acceptableUsername }, wanted, claims);
  };
  it('has the first usable name, a number after it, or a random name at last', () => {
    const numbered = [2, 3, 4, 5, 6, 7, 8, 9].map((n) => `ada-${n}`);
    expect(names([null, 1, 'ada', 'eve'])).toEqual(['ada', ...numbered, 'ada-ababababab']);
    expect(names(['аda', 'ada'])[0]).toBe('ada');
    expect(names([])[0]).toBe('user');
    expect(names(['ada'], ['Ada', 'ada-3'], ['ADA-2']).slice(0, 2)).toEqual(['ada-4', 'ada-5']);
    expect(names(['ada'], ['adam', 'ad'], ['ada-'])[0]).toBe('ada');
    expect(names(['x'.repeat(101)])[0]).toBe('x'.repeat(100));
    expect(names([`${'x'.repeat(99)} y`])[0]).toBe('x'.repeat(99));
  });

  describe.each([
    ['username', 'ada@example.com', {}, ['ada@example.com', 'ada@example.com-2']],
    ['both', 'ada@example.com', {}, ['ada', 'ada-2']],
    ['both', 'ada@example.com', { email: 'ada@example.com' }, ['ada', 'ada-2']],
    ['email', 'ada@example.com', { email: 'eve@example.com', email_verified: true }, ['ada', 'ada-2']],
    ['both', 'Ada@example.com', { email: 'ada@EXAMPLE.com', email_verified: true }, ['Ada@example.com', 'Ada']],
    ['both', '@example.com', {}, ['user', 'user-2']],
    [
      'both',
      `${'a'.repeat(95)}@example.com`,
      { email: `${'a'.repeat(95)}@example.com`, email_verified: true },
      ['a'.repeat(95)],
    ],
  ] as const)('where the %s identifies, called %j with the claims %j', (identifiers, wanted, claims, expected) => {
    it('has no address of another as the username', () => {
      expect(names([wanted], [], [], identifiers, claims).slice(0, expected.length)).toEqual(expected);
    });
  });

  it('has the claims that the policy copies, and a flag of verification only with its claim', () => {
    const acceptableClaims = (claims: object) => claims as never;
    const told = { name: 'Ada', email: 'ada@example.com', email_verified: true, phone_number_verified: true, sub: 's' };
    const copied = ['name', 'email', 'email_verified', 'phone_number', 'phone_number_verified', 'nickname', 'locale'];
    expect(
      claimsOf({ acceptableClaims }, copied, { ...told, nickname: null, locale: undefined } as never),
    ).toStrictEqual({
      name: 'Ada',
      email: 'ada@example.com',
      email_verified: true,
    });
  });
});

it.each([
  [{ reason: 'too_short', characters: 1, atLeast: 8 }, '1 character'],
  [{ reason: 'too_long', characters: 2000, atMost: 1024 }, '2000 characters'],
  [{ reason: 'not_text' }, 'U+0000 or half a character'],
  [{ reason: 'repetitive', different: 2, atLeast: 3 }, '2 different characters'],
  [{ reason: 'repetitive', different: 1, atLeast: 3 }, '1 different character'],
  [{ reason: 'names_the_user' }, 'the username'],
  [{ reason: 'names_the_service' }, 'the name of the service'],
  [{ reason: 'common' }, 'one of the most common passwords'],
  [{ reason: 'guessable' }, 'a password that is soon guessed'],
  [{ reason: 'breached' }, 'a password of a list of breached passwords'],
] as const)('the problem %j of a password is in words "%s"', (problem, words) => {
  expect(passwordWords(problem)).toBe(words);
});

const SID = '0f9d3c1e-1111-4222-8333-abcdefabcdef';
it.each([
  null,
  '',
  SID.slice(1),
  `${SID}0`,
  `0${SID}`,
  SID.toUpperCase(),
  SID.replaceAll('-', ''),
  SID.replace('0f9d', '0g9d'),
])('no session has the name %j, and none is loaded for it', async (sid) => {
  expect(await endDevice({} as never, { userId: 'alice' } as Session, sid)).toEqual({ kind: 'formRefused' });
});
