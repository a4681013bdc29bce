/** Requests for a link by mail, and the links themselves, with stores in memory: each refusal, and each near miss. */
import { describe, expect, it } from 'vitest';
import type { EmailChallengePurpose } from '../../../machines/email-challenge/facts.ts';
import type { SignInPolicy } from '../../../policies/schema.ts';
import { sha256 } from '../../../src/crypto/digest.ts';
import type { PasswordHash } from '../../../src/crypto/secret-types.ts';
import type { Commit } from '../../../src/engine/commit.ts';
import type { EmailChallenge } from '../../../src/lifecycles/email-challenge/entity.ts';
import type { EmailChallengeKey } from '../../../src/lifecycles/email-challenge/lifecycle.ts';
import type { RegisteredUser } from '../../../src/model/user.ts';
import {
  addressOfAccount,
  askAboutLostFactors,
  askForChange,
  askForReset,
  askForVerification,
  mayRecoverByMail,
  sendResets,
} from '../../../src/people/email/asking.ts';
import { submitLink, type UseLinkDeps, viewLink } from '../../../src/people/email/using.ts';
import type { Mail, MailsWanted } from '../../../src/people/mail/mail.ts';
import { askToSignUp, invite, mailSignUp, offered } from '../../../src/people/sign-up/sign-up.ts';
import { testKeys } from '../../support/macs.ts';
import { registeredUser } from '../../support/registered-user.ts';

const NOW = new Date('2030-01-01T00:00:00Z');
const seconds = (count: number) => new Date(NOW.getTime() + count * 1000);
const ADDRESS = 'Ada@example.com';

const userWith = (change: Partial<RegisteredUser> = {}) =>
  registeredUser({
    id: '00000000-0000-4000-8000-00000000000a',
    username: 'ada',
    claims: { email: ADDRESS, email_verified: true, locale: 'de', zoneinfo: 'Europe/Berlin' },
    ...change,
  });
const ADA = userWith();
const UNVERIFIED = userWith({ claims: { email: ADDRESS } });
const asker = { network: '198.51.100.0', languages: ['fr', 'en'], deviceCookie: null };

const SECRET = Buffer.alloc(32, 9).toString('base64url');
const linkWith = (change: Partial<EmailChallenge> = {}): EmailChallenge => ({
  id: '00000000-0000-4000-8000-00000000000e',
  purpose: 'verify_address',
  state: 'active',
  supersededReason: null,
  secretHash: sha256(SECRET),
  person: ADA.id,
  userId: ADA.id,
  userEpoch: 1n,
  address: ADDRESS,
  resumption: null,
  newerLinks: 0,
  createdAt: NOW,
  endsAt: seconds(60),
  ...change,
});

type World = {
  readonly user?: RegisteredUser | null;
  /** Of the address, of the network. */
  readonly counts?: readonly number[];
  readonly hasRoom?: boolean;
  readonly links?: readonly EmailChallenge[];
  readonly accounts?: readonly RegisteredUser[];
  readonly change?: Partial<UseLinkDeps>;
};

function worldOf({
  user = null,
  counts = [1, 1, 1],
  hasRoom = true,
  links = [],
  accounts = [],
  change = {},
}: World = {}) {
  const wanted: MailsWanted[] = [];
  const mails: Mail[] = [];
  const commits: Commit[] = [];
  const loads: EmailChallengeKey[] = [];
  const refusals: unknown[] = [];
  const limits: [string, number][] = [];
  let drawn = 0;
  const deps: UseLinkDeps = {
    issuer: 'https://as.test',
    keys: testKeys,
    mailCounts: { count: async () => counts },
    random: { bytes: (size) => Buffer.alloc(size, 7), uuid: () => `drawn ${++drawn}` },
    sleep: async () => {},
    isOffered: () => true,
    identifiers: () => 'username',
    passkeyIsOffered: () => false,
    now: () => NOW,
    passkeyChallenges: { spend: async () => true },
    challenges: {
      load: async (key) => {
        loads.push(key);
        const usernameOf = key.kind === 'secret' && key.username === 'taken' ? 'another' : null;
        return { now: NOW, challenges: links, user, version: null, usernameOf, oldestFactorAt: null };
      },
      commit: async (commit) => commits.push(commit) > 0,
    },
    accounts: {
      withAddress: async (address, limit) => {
        limits.push([address, limit]);
        return accounts;
      },
      named: async (username) => (user?.username === username ? user : null),
      find: async (id) => (user?.id === id ? user : null),
    },
    outbox: {
      send: async (mail) => mails.push(mail) > 0 && hasRoom,
      want: async (mail) => wanted.push(mail) > 0 && hasRoom,
      later: async (work) => void (await work()),
    },
    signInLedger: {
      originOf: (username) => ({ account: username }) as never,
      refused: async (line) => void refusals.push(line),
    },
    signsInElsewhere: async () => false,
    isReserved: (username) => username === 'olga',
    passwordProblem: async (password) => (password === 'weak' ? { reason: 'common' } : null),
    minimumCharacters: async () => 15,
    hashPassword: async (password) => (password === 'busy' ? null : (`hash of ${password}` as PasswordHash)),
    removeLostFactors: async () => {},
    ...change,
  };
  return { deps, wanted, mails, commits, loads, refusals, limits };
}

const THROTTLED = { kind: 'throttled', retryAfterSeconds: 3600 };
const QUEUE_FULL = { kind: 'queueFull', retryAfterSeconds: 60 };
const ASKED = { kind: 'asked' };

describe('a forgotten password', () => {
  it.each<[string, World, string | null, object, readonly (string | null)[]]>([
    ['a stranger', {}, null, ASKED, [null]],
    ['a browser with a device cookie', {}, 'a cookie', ASKED, [null]],
    ['the fifth time', { counts: [5, 20, 50] }, null, ASKED, [null]],
    ['a stranger, the sixth time', { counts: [6, 6, 1] }, null, ASKED, []],
    ['a trusted device, the sixth time', { counts: [6, 6, 1] }, 'a cookie', ASKED, ['a cookie']],
    ['a full network', { counts: [1, 1, 51] }, 'a cookie', THROTTLED, []],
    ['a full queue', { hasRoom: false }, null, QUEUE_FULL, [null]],
    ['a stranger, the sixth time, with a full queue', { counts: [6, 6, 1], hasRoom: false }, null, ASKED, []],
  ])('by %s', async (_, world, deviceCookie, expected, devices) => {
    const { deps, wanted } = worldOf(world);
    expect(await askForReset(deps, ` ${ADDRESS} `, { ...asker, deviceCookie })).toEqual(expected);
    expect(wanted).toEqual(
      devices.map((onlyForDevice) => ({
        kind: 'reset_wanted',
        to: ADDRESS,
        languages: asker.languages,
        onlyForDevice,
      })),
    );
  });

  it.each<[string | null, 'username' | 'email' | 'both', string | null]>([
    ['ada', 'username', 'ada'],
    [' ada ', 'both', 'ada'],
    ['ada', 'email', null],
    ['ada@', 'username', null],
    ['ada\u0007', 'both', null],
    ['', 'username', null],
    [null, 'both', null],
  ])('with the name %j, where %s identifies, asks for %j', async (typed, identifiers, to) => {
    const { deps, wanted } = worldOf({ change: { identifiers: () => identifiers } });
    expect((await askForReset(deps, typed, asker)).kind).toBe(to === null ? 'addressRefused' : 'asked');
    expect(wanted).toMatchObject(to === null ? [] : [{ kind: 'reset_wanted', to }]);
  });

  const reset = async (accounts: readonly RegisteredUser[], world: World = {}, onlyForDevice: string | null = null) => {
    const made = worldOf({ user: accounts[0] ?? null, accounts, ...world });
    await sendResets(made.deps, { kind: 'reset_wanted', to: 'ada@EXAMPLE.com', languages: ['fr'], onlyForDevice });
    expect(made.limits).toEqual([['ada@EXAMPLE.com', 5]]);
    return made.mails;
  };
  it('has a mail to the stored address, with the username and a link', async () => {
    const secret = Buffer.alloc(32, 7).toString('base64url');
    expect(await reset([ADA])).toEqual([
      {
        to: ADDRESS,
        userId: ADA.id,
        languages: ['de', 'fr'],
        timeZone: 'Europe/Berlin',
        content: {
          kind: 'reset_password',
          username: 'ada',
          link: `https://as.test/email/link?t=${secret}`,
          lifetimeSeconds: 1800,
        },
      },
    ]);
  });

  it.each([
    ['is not verified', UNVERIFIED],
    ['is nearly verified', userWith({ claims: { email: ADDRESS, email_verified: 'true' } })],
    ['is none', userWith({ claims: {} })],
    ['belongs to a disabled end-user', userWith({ disabledAt: NOW })],
  ])('has no mail where the address %s', async (_, user) => {
    expect(await reset([user])).toEqual([]);
    expect(await reset([user, ADA], { user: ADA })).toHaveLength(1);
  });

  it.each([
    ['an id', [5], true],
    ['an id', [6], false],
    [null, [1], false],
  ])('on a device with %j, and the counts %j, has a mail: %j', async (device, counts, isMailed) => {
    const asked: unknown[] = [];
    const knownDeviceOf = (cookie: string | null, { id, username }: Pick<RegisteredUser, 'id' | 'username'>) => {
      asked.push([cookie, id, username]);
      return device;
    };
    expect(await reset([ADA], { counts, change: { knownDeviceOf } }, 'a cookie')).toHaveLength(isMailed ? 1 : 0);
    expect(asked).toEqual([['a cookie', ADA.id, 'ada']]);
  });

  it('on a device has no mail from a server that knows no devices', async () => {
    expect(await reset([ADA], {}, 'a cookie')).toEqual([]);
  });
});

describe('a sign-up', () => {
  const resumption = { path: '/interaction/1', browserHash: Buffer.alloc(32) };
  it.each<[string, World, object, number]>([
    ['is asked', {}, ASKED, 1],
    ['is asked the sixth time', { counts: [6, 6, 1] }, ASKED, 0],
    ['of a full network', { counts: [1, 1, 51] }, THROTTLED, 0],
    ['in a full queue', { hasRoom: false }, QUEUE_FULL, 1],
    ['in a full queue, the sixth time', { counts: [6, 6, 1], hasRoom: false }, ASKED, 0],
  ])('%s', async (_, world, expected, count) => {
    const { deps, wanted } = worldOf(world);
    expect(await askToSignUp(deps, ADDRESS, resumption, { ...asker, deviceCookie: 'x' })).toEqual(expected);
    const mail = { kind: 'sign_up_wanted', to: ADDRESS, languages: asker.languages, resumption };
    expect(wanted).toEqual(Array(count).fill(mail));
  });

  it.each([null, '', 'ada'])('is refused for the address %j', async (typed) => {
    const { deps, wanted } = worldOf();
    expect(await askToSignUp(deps, typed, null, asker)).toEqual({ kind: 'addressRefused' });
    expect(wanted).toEqual([]);
  });

  const mailed = async (accounts: readonly RegisteredUser[], world: World = {}) => {
    const made = worldOf({ accounts, ...world });
    await mailSignUp(made.deps, { kind: 'sign_up_wanted', to: 'ada@example.com', languages: ['fr'], resumption: null });
    expect(made.limits).toEqual([['ada@example.com', 5]]);
    return made.mails;
  };
  const LINK = {
    to: 'ada@example.com',
    userId: null,
    languages: ['fr'],
    timeZone: null,
    content: { kind: 'sign_up', link: expect.stringContaining('/email/link?t='), lifetimeSeconds: 86_400 },
  };
  it('with an address that accounts have names them, in a mail to its owner', async () => {
    expect(await mailed([ADA, userWith({ id: 'b', username: 'bea' })])).toEqual([
      {
        to: 'ada@example.com',
        userId: ADA.id,
        languages: ['fr'],
        timeZone: null,
        content: {
          kind: 'has_account',
          usernames: ['ada', 'bea'],
          signIn: 'https://as.test/sign-in',
          forgot: 'https://as.test/forgot-password',
        },
      },
    ]);
  });

  it.each([
    ['with a new address', []],
    ['with nearly the address of an account', [userWith({ claims: { email: 'ada@example.co' } })]],
    ['with the address of an account that has none', [userWith({ claims: {} })]],
  ])('%s has a link', async (_, accounts) => {
    expect(await mailed(accounts)).toEqual([LINK]);
  });

  it('that the policy does not allow any more has no mail', async () => {
    expect(await mailed([], { change: { isOffered: () => false } })).toEqual([]);
  });

  it.each<[EmailChallengePurpose, Partial<Pick<SignInPolicy, 'signUp' | 'lostFactors'>>, boolean]>([
    ['sign_up', { signUp: 'open' }, true],
    ['sign_up', { signUp: 'invitation' }, false],
    ['sign_up', { signUp: 'off' }, false],
    ['invitation', { signUp: 'open' }, true],
    ['invitation', { signUp: 'invitation' }, true],
    ['invitation', { signUp: 'off' }, false],
    ['lost_factors', { lostFactors: 'email' }, true],
    ['lost_factors', { lostFactors: 'administrator' as never }, false],
    ['reset_password', { signUp: 'off' }, true],
    ['verify_address', { signUp: 'off' }, true],
  ])('the link %s with the policy %j is offered: %j', (purpose, policy, isOffered) => {
    const all = { signUp: 'off', lostFactors: 'administrator', ...policy } as Pick<
      SignInPolicy,
      'signUp' | 'lostFactors'
    >;
    expect(offered(() => all)(purpose)).toBe(isOffered);
  });
});

describe('an invitation', () => {
  const actor = { kind: 'operator', id: 'olga', addressHash: null } as const;
  const inviting = (world: World, email = ' grace@example.com ', language: string | null = null, isMailed = true) => {
    const made = worldOf(world);
    return invite(made.deps, isMailed ? made.deps.outbox : null, { email, language }, actor).then((outcome) => ({
      outcome,
      ...made,
    }));
  };

  it.each([
    [null, []],
    ['de', ['de']],
  ])('in the language %j is mailed, and its entry names the administrator', async (language, languages) => {
    const { outcome, mails, commits } = await inviting({}, undefined, language);
    expect(outcome).toMatchObject({ kind: 'invited', isMailed: true, challenge: { purpose: 'invitation' } });
    expect(mails).toEqual([
      {
        to: 'grace@example.com',
        userId: null,
        languages,
        timeZone: null,
        content: {
          kind: 'invitation',
          link: outcome.kind === 'invited' && outcome.url,
          lifetimeSeconds: 604_800,
        },
      },
    ]);
    expect(commits).toMatchObject([{ entries: [{ actor }] }]);
  });

  it('is a link alone without a queue, or with a full one', async () => {
    const alone = await inviting({}, undefined, null, false);
    expect(alone.outcome).toMatchObject({ kind: 'invited', isMailed: false });
    expect(alone.mails).toEqual([]);
    expect((await inviting({ hasRoom: false })).outcome).toMatchObject({ kind: 'invited', isMailed: false });
  });

  it('is refused for no address, and while sign-ups are off', async () => {
    expect((await inviting({}, 'grace')).outcome).toEqual({ kind: 'addressRefused' });
    expect((await inviting({ change: { isOffered: () => false } })).outcome).toEqual({ kind: 'signUpIsOff' });
  });
});

describe('the address of an account', () => {
  const OTHER = 'other@example.com';
  it.each<[string, World, object]>([
    ['is verified by a mail', { user: UNVERIFIED }, { kind: 'sent', address: ADDRESS }],
    ['is verified already', { user: ADA }, { kind: 'alreadyVerified' }],
    ['is none', { user: userWith({ claims: {} }) }, { kind: 'noAddress' }],
    ['of no account', { user: null }, { kind: 'noAddress' }],
    ['asked too often', { user: UNVERIFIED, counts: [6, 6, 1] }, THROTTLED],
    ['asked too often in the network', { user: UNVERIFIED, counts: [1, 1, 51] }, THROTTLED],
    ['in a full queue', { user: UNVERIFIED, hasRoom: false }, QUEUE_FULL],
    ['where no link is offered', { user: UNVERIFIED, change: { isOffered: () => false } }, { kind: 'refused' }],
  ])('%s', async (_, world, expected) => {
    const { deps, mails } = worldOf(world);
    expect(await askForVerification(deps, ADA.id, asker)).toEqual(expected);
    const isMailed = (expected as { kind: string }).kind === 'sent';
    if (isMailed) expect(mails).toMatchObject([{ to: ADDRESS, content: { kind: 'verify_address' } }]);
    expect(mails[0]?.content ?? {}).not.toHaveProperty('username');
  });

  it.each<[string, string | null, World, object, readonly object[]]>([
    ['another', OTHER, { user: ADA }, { kind: 'sent', address: OTHER }, [{ to: OTHER, kind: 'change_address' }]],
    [
      'the first',
      OTHER,
      { user: userWith({ claims: {} }) },
      { kind: 'sent', address: OTHER },
      [{ to: OTHER, kind: 'change_address' }],
    ],
    ['the same', 'ada@EXAMPLE.com', { user: ADA }, { kind: 'sameAddress' }, []],
    [
      'the same, unverified',
      'ada@EXAMPLE.com',
      { user: UNVERIFIED },
      { kind: 'sent', address: ADDRESS },
      [{ to: ADDRESS, kind: 'verify_address' }],
    ],
    ['none', 'other', { user: ADA }, { kind: 'addressRefused' }, []],
    ['none sent', null, { user: ADA }, { kind: 'addressRefused' }, []],
    ['that of no account', OTHER, { user: null }, { kind: 'refused' }, []],
    ['one too many', OTHER, { user: ADA, counts: [6, 6, 1] }, THROTTLED, []],
  ])('becomes %s (%s)', async (_, typed, world, expected, mailed) => {
    const { deps, mails } = worldOf(world);
    expect(await askForChange(deps, ADA.id, typed, asker)).toEqual(expected);
    expect(mails.map(({ to, content: { kind } }) => ({ to, kind }))).toEqual(mailed);
  });

  it('is shown as it is stored', async () => {
    expect(await addressOfAccount(worldOf({ user: ADA }).deps, ADA.id)).toEqual({ address: ADDRESS, isVerified: true });
    expect(await addressOfAccount(worldOf({ user: ADA }).deps, 'another')).toBeNull();
  });
});

describe('lost factors', () => {
  const elsewhere = { signsInElsewhere: async () => true };
  it.each<[string, World, object, boolean]>([
    ['are asked about', { user: ADA }, { kind: 'sent' }, true],
    ['of an unverified address', { user: UNVERIFIED }, { kind: 'noAddress' }, false],
    ['of no address', { user: userWith({ claims: {} }) }, { kind: 'noAddress' }, false],
    ['of no account', { user: null }, { kind: 'noAddress' }, false],
    ['of a federated session', { user: ADA, change: elsewhere }, { kind: 'passwordNotShown' }, false],
    ['asked too often', { user: ADA, counts: [6, 6, 1] }, THROTTLED, true],
    ['in a full queue', { user: ADA, hasRoom: false }, QUEUE_FULL, true],
    ['where they are not offered', { user: ADA, change: { isOffered: () => false } }, { kind: 'refused' }, true],
  ])('%s', async (_, world, expected, mayAsk) => {
    const { deps, mails } = worldOf(world);
    expect(await askAboutLostFactors(deps, ADA.id, asker)).toEqual(expected);
    expect(await mayRecoverByMail(deps, ADA.id)).toBe(mayAsk);
    if ((expected as { kind: string }).kind === 'sent')
      expect(mails).toMatchObject([{ to: ADDRESS, content: { kind: 'lost_factors', username: 'ada' } }]);
  });

  it('are not removed with a password that came by mail itself', async () => {
    const { deps } = worldOf({ user: userWith({ passwordByLinkAt: NOW }) });
    const load = deps.challenges.load;
    const challenges = {
      ...deps.challenges,
      load: async (key: EmailChallengeKey) => ({ ...(await load(key)), oldestFactorAt: NOW }),
    };
    expect(await askAboutLostFactors({ ...deps, challenges }, ADA.id, asker)).toEqual({ kind: 'passwordFromMail' });
  });
});

describe('the page of a link', () => {
  it.each<[EmailChallengePurpose, RegisteredUser | null, object]>([
    ['verify_address', ADA, { username: 'ada', minimumCharacters: null }],
    ['change_address', ADA, { username: 'ada', minimumCharacters: null }],
    ['undo_change', ADA, { username: 'ada', minimumCharacters: null }],
    ['lost_factors', ADA, { username: 'ada', minimumCharacters: null }],
    ['reset_password', ADA, { username: 'ada', minimumCharacters: 15 }],
    ['sign_up', null, { username: null, minimumCharacters: 15 }],
    ['invitation', null, { username: null, minimumCharacters: 15 }],
  ])('%s', async (purpose, user, expected) => {
    const owners: unknown[] = [];
    const minimumCharacters = async (owner: object) => owners.push(owner) * 15;
    const link = linkWith({ purpose });
    const { deps } = worldOf({
      user,
      links: [linkWith({ secretHash: sha256('x') }), link],
      change: { minimumCharacters },
    });
    expect(await viewLink(deps, SECRET)).toEqual({
      kind: 'usable',
      purpose,
      address: ADDRESS,
      userId: user?.id ?? null,
      asksForUsername: ['sign_up', 'invitation'].includes(purpose),
      offersPasskey: false,
      resumes: false,
      formPurpose: `link of ${link.id}`,
      ...expected,
    });
    const owner = { userId: user?.id ?? null, username: user?.username ?? '' };
    expect(owners).toEqual('minimumCharacters' in expected && expected.minimumCharacters === null ? [] : [owner]);
  });

  const useless = (reason: string) => ({ kind: 'useless', reason });
  it.each<[string | null, Partial<EmailChallenge>, object]>([
    [SECRET, { state: 'used' }, useless('link_used')],
    [SECRET, { state: 'superseded' }, useless('link_superseded')],
    [SECRET, { endsAt: NOW }, useless('link_expired')],
    [SECRET, { endsAt: seconds(0.001) }, { kind: 'usable' }],
    [SECRET, { secretHash: sha256('another') }, useless('link_unknown')],
    [`${SECRET}a`, {}, useless('link_unknown')],
    [null, {}, useless('link_unknown')],
  ])('with the secret %s of %j', async (secret, change, expected) => {
    const { deps } = worldOf({ user: ADA, links: [linkWith(change)] });
    expect(await viewLink(deps, secret)).toMatchObject(expected);
    const { deps: again, commits, refusals } = worldOf({ user: ADA, links: [linkWith(change)] });
    const outcome = await submitLink(again, formWith({ secret }));
    if (!('reason' in expected)) return;
    expect(outcome).toEqual(expected);
    expect(commits).toEqual([]);
    expect(refusals).toEqual(
      expected.reason === 'link_unknown'
        ? []
        : [{ method: 'link', reason: expected.reason, username: 'ada', userId: ADA.id }],
    );
  });
});

type Form = Parameters<typeof submitLink>[1];
const formWith = (change: Partial<Form> = {}): Form => ({
  secret: SECRET,
  username: null,
  password: null,
  credential: null,
  browser: null,
  isOurForm: () => true,
  passwordIsProvenBy: async () => false,
  caller: { network: 'n', gone: new AbortController().signal },
  languages: ['fr'],
  ...change,
});

describe('the button of a link', () => {
  const press = async (purpose: EmailChallengePurpose, form: Partial<Form> = {}, world: World = {}) => {
    const isNew = purpose === 'sign_up' || purpose === 'invitation';
    const user = isNew ? null : ADA;
    const owner = isNew ? { userId: null, userEpoch: null } : {};
    const address = purpose === 'change_address' || purpose === 'undo_change' ? 'new@example.com' : ADDRESS;
    const made = worldOf({ user, links: [linkWith({ purpose, ...owner, address })], ...world });
    return { ...made, outcome: await submitLink(made.deps, formWith(form)) };
  };

  it('belongs to the form of its page', async () => {
    const purposes: string[] = [];
    const isOurForm = (purpose: string) => purposes.push(purpose) === 0;
    const { outcome, commits } = await press('verify_address', { isOurForm });
    expect([outcome, commits, purposes]).toEqual([{ kind: 'formRefused' }, [], [`link of ${linkWith().id}`]]);
  });

  const account = { username: ' grace ', password: 'a long passphrase' };
  it.each<[EmailChallengePurpose, Partial<Form>, unknown]>([
    ['sign_up', { ...account, password: null }, 'incomplete'],
    ['sign_up', { ...account, password: '' }, 'incomplete'],
    ['sign_up', { ...account, username: null }, 'incomplete'],
    ['sign_up', { ...account, username: '  ' }, 'incomplete'],
    ['sign_up', { ...account, username: 'x'.repeat(257) }, 'usernameRefused'],
    ['sign_up', { ...account, username: 'a\u200bb' }, 'usernameRefused'],
    ['sign_up', { ...account, username: 'gr\u0430ce' }, 'usernameMixesScripts'],
    ['sign_up', { ...account, username: 'olga' }, 'usernameTaken'],
    ['sign_up', { ...account, username: 'taken' }, 'usernameTaken'],
    ['sign_up', { ...account, password: 'weak' }, { reason: 'common' }],
    ['sign_up', { ...account, password: 'busy' }, 'busy'],
    ['invitation', { ...account, username: '' }, 'incomplete'],
    ['reset_password', { password: '' }, 'incomplete'],
    ['reset_password', { password: 'weak' }, { reason: 'common' }],
    ['reset_password', { password: 'busy' }, 'busy'],
  ])('%s with %j appears again: %j', async (purpose, form, problem) => {
    const { outcome, commits, mails } = await press(purpose, form);
    expect(outcome).toMatchObject({
      kind: 'again',
      problem,
      username: form.username ?? '',
      view: { kind: 'usable', purpose, minimumCharacters: 15 },
    });
    expect([commits, mails]).toEqual([[], []]);
  });

  it.each(['sign_up', 'invitation'] as const)('%s registers the account with its verified address', async (purpose) => {
    const problems: unknown[] = [];
    const passwordProblem: UseLinkDeps['passwordProblem'] = async (_, owner) => {
      problems.push(owner);
      return null;
    };
    const { outcome } = await press(
      purpose,
      { ...account, username: `${'x'.repeat(256)}` },
      { change: { passwordProblem } },
    );
    expect(outcome).toMatchObject({
      kind: 'done',
      purpose,
      used: {
        user: {
          id: 'drawn 1',
          username: 'x'.repeat(256),
          passwordHash: 'hash of a long passphrase',
          claims: { email: ADDRESS, email_verified: true },
        },
      },
    });
    expect(problems).toEqual([{ userId: null, username: 'x'.repeat(256), address: ADDRESS }]);
    expect((await press(purpose, account)).outcome).toMatchObject({ used: { user: { username: 'grace' } } });
  });

  it('reset_password checks and sets the password of its end-user, who gets a notice', async () => {
    const problems: unknown[] = [];
    const passwordProblem: UseLinkDeps['passwordProblem'] = async (_, owner) => {
      problems.push(owner);
      return null;
    };
    const form = { username: 'eve', password: 'a long passphrase' };
    const { outcome, mails } = await press('reset_password', form, { change: { passwordProblem } });
    expect(outcome).toMatchObject({
      kind: 'done',
      used: { user: { id: ADA.id, passwordHash: 'hash of a long passphrase' } },
    });
    expect(problems).toEqual([{ userId: ADA.id, username: 'ada', address: ADDRESS }]);
    expect(mails).toEqual([
      {
        to: ADDRESS,
        userId: ADA.id,
        languages: ['de', 'fr'],
        timeZone: 'Europe/Berlin',
        content: { kind: 'password_changed', at: NOW, username: 'ada', forgot: 'https://as.test/forgot-password' },
      },
    ]);
  });

  it('verify_address verifies, without a mail', async () => {
    const { outcome, mails } = await press('verify_address', {}, { user: UNVERIFIED });
    expect(outcome).toMatchObject({
      kind: 'done',
      used: { user: { claims: { email: ADDRESS, email_verified: true } } },
    });
    expect(mails).toEqual([]);
  });

  it('change_address tells the address from before, with a link back', async () => {
    const { outcome, mails } = await press('change_address');
    expect(outcome).toMatchObject({ kind: 'done', used: { user: { claims: { email: 'new@example.com' } } } });
    const secret = Buffer.alloc(32, 7).toString('base64url');
    expect(mails).toEqual([
      {
        to: ADDRESS,
        userId: ADA.id,
        languages: ['de', 'fr'],
        timeZone: 'Europe/Berlin',
        content: {
          kind: 'address_changed',
          username: 'ada',
          link: `https://as.test/email/link?t=${secret}`,
          lifetimeSeconds: 604_800,
        },
      },
    ]);
  });

  it('change_address has no mail where the address from before was not verified', async () => {
    const { outcome, mails } = await press('change_address', {}, { user: UNVERIFIED });
    expect([outcome.kind, mails]).toEqual(['done', []]);
  });

  it('undo_change restores the address, which gets a notice', async () => {
    const { outcome, mails } = await press('undo_change');
    expect(outcome).toMatchObject({ kind: 'done', used: { user: { claims: { email: 'new@example.com' } } } });
    expect(mails).toMatchObject([{ userId: ADA.id, content: { kind: 'address_restored', at: NOW } }]);
  });

  it.each([
    [true, false, 'done'],
    [false, false, 'useless'],
    [true, true, 'useless'],
  ])(
    'lost_factors with a proven password: %j, and a federated sign-in: %j is %s',
    async (isProven, isElsewhere, kind) => {
      const removed: string[] = [];
      const asked: string[] = [];
      const change: Partial<UseLinkDeps> = {
        signsInElsewhere: async () => isElsewhere,
        removeLostFactors: async (userId) => void removed.push(userId),
      };
      const passwordIsProvenBy = async (userId: string) => asked.push(userId) > 0 && isProven;
      const { outcome, mails } = await press('lost_factors', { passwordIsProvenBy }, { change });
      expect(outcome.kind).toBe(kind);
      expect(removed).toEqual(kind === 'done' ? [ADA.id] : []);
      expect(asked).toEqual(isElsewhere ? [] : [ADA.id]);
      expect(mails.map(({ content }) => content.kind)).toEqual(kind === 'done' ? ['factors_removed'] : []);
    },
  );

  it('is useless where the machine rejects it', async () => {
    const { outcome } = await press('verify_address', {}, { user: userWith({ claims: { email: 'b@example.com' } }) });
    expect(outcome).toMatchObject({ kind: 'useless', reason: expect.stringMatching(/address/) });
    const off = await press('sign_up', account, { change: { isOffered: () => false } });
    expect(off.outcome.kind).toBe('useless');
  });

  it('names the account of its origin', async () => {
    const { commits } = await press('sign_up', account);
    expect(JSON.stringify(commits[0]?.entries)).toContain('"account":"grace"');
    const { commits: own } = await press('verify_address', {}, { user: UNVERIFIED });
    expect(JSON.stringify(own[0]?.entries)).toContain('"account":"ada"');
  });
});
