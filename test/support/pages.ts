/** Every view with what it can show, for tests that look at all pages: a view that is missing here fails one of them. */
import { SECTIONS } from '../../src/http/account/sections.ts';
import type { Look } from '../../src/http/look.ts';
import { unverifiedRequestPage } from '../../src/http/unverified-request-page.ts';
import { apps } from '../../src/http/views/account/apps.ts';
import { dataForm } from '../../src/http/views/account/data.ts';
import { deletedPage, deleteForm } from '../../src/http/views/account/delete.ts';
import { devices } from '../../src/http/views/account/devices.ts';
import { addressPage } from '../../src/http/views/account/email.ts';
import { type AccountBody, type AccountFrame, accountPage } from '../../src/http/views/account/frame.ts';
import { linkedIdentities } from '../../src/http/views/account/linked-identities.ts';
import { overview } from '../../src/http/views/account/overview.ts';
import { passwordForm, problemOf } from '../../src/http/views/account/password.ts';
import { profileForm } from '../../src/http/views/account/profile.ts';
import { type MethodsView, signInMethods } from '../../src/http/views/account/sign-in-methods.ts';
import { type ConsentView, consentPage } from '../../src/http/views/consent.ts';
import {
  askedPage,
  askPage,
  linkDonePage,
  linkPage,
  lostFactorsAskedPage,
  lostFactorsPage,
  passkeyFields,
  uselessLinkPage,
} from '../../src/http/views/email.ts';
import { externalButtons, externalProblemPage } from '../../src/http/views/external-sign-in.ts';
import { type FactorPageView, factorPage, setUpPage } from '../../src/http/views/factor.ts';
import { formPostPage } from '../../src/http/views/form-post.ts';
import { homePage } from '../../src/http/views/home.ts';
import { logoutPage, refusedLogoutPage, signedOutPage, stillSignedInPage } from '../../src/http/views/logout.ts';
import { askForCodePage, typeCodePage } from '../../src/http/views/mailed-code.ts';
import {
  operatorMadePage,
  operatorSetUpPage,
  setUpPasskeyFields,
  uselessSetUpPage,
} from '../../src/http/views/operator-set-up.ts';
import { passkeyButton } from '../../src/http/views/passkey.ts';
import { type PermissionsView, permissionsPage } from '../../src/http/views/permissions.ts';
import { problemPage } from '../../src/http/views/problem.ts';
import { recoveryCodesPage } from '../../src/http/views/recovery-codes.ts';
import { identifierPage, methodsPage, type SignInView, signInPage } from '../../src/http/views/sign-in.ts';
import { SELF_DESCRIBED_CLAIMS } from '../../src/oauth/claims.ts';
import { profileFields } from '../../src/people/account/profile-fields.ts';
import type { AccountSummary } from '../../src/people/account/summary.ts';

/** Texts of others: names, addresses, descriptions from the configuration. */
export const data = (text: string): string => `‹${text}›`;

type Sample = { readonly name: string; readonly html: (look: Look) => string };

const keysOf = <Key extends string>(of: Readonly<Record<Key, unknown>>): Key[] => Object.keys(of) as Key[];

const signIn: SignInView = {
  action: '/interactions/x/sign-in',
  csrf: 'x',
  clientName: data('Photo Book'),
  username: data('alice'),
  identifiers: 'both',
  problem: null,
  goOn: null,
  help: { forgot: '/forgot-password', signUp: '/sign-up', code: '/sign-in/code' },
  botCheck: null,
};

const link = {
  action: '/email/link',
  csrf: 'x',
  secret: 'x',
  address: data('alice@example.com'),
  account: data('alice'),
  username: data('alice'),
  asksForUsername: true,
  minimumCharacters: 15,
  problem: null,
  passkey: null,
  progress: { step: 2, steps: 2 },
};

const SETS_PASSWORD = new Set(['sign_up', 'invitation', 'reset_password']);

const consent: ConsentView = {
  action: '/interactions/x/consent',
  csrf: 'x',
  clientName: data('Photo Book'),
  username: data('alice'),
  destination: data('photos.example'),
  logo: '/images/x',
  terms: 'https://photos.example/terms',
  policy: 'https://photos.example/privacy',
  onThisDevice: false,
  describedAt: null,
  registeredItself: false,
  access: [
    {
      resource: null,
      scopes: ['openid', 'profile', 'email', 'address', 'phone'].map((name) => ({ name, description: null })),
    },
    { resource: data('The photo API'), scopes: [{ name: 'read', description: data('see your photos') }] },
    { resource: data('The print API'), scopes: [{ name: data('print'), description: null }] },
    { resource: data('The archive'), scopes: [] },
  ],
  whileAway: true,
  rememberedForSeconds: 30 * 86_400,
  switchUser: '/interactions/x?account=another',
};

const at = (text: string) => new Date(`${text}Z`);
const chain = (sid: string, lastUsedAt: Date | null) => ({
  grantId: sid,
  since: at('2026-01-05T10:00:00'),
  lastUsedAt,
  sid,
});
const allowed = (holds: 'whileAway' | 'nowOnly' | 'nothing', lastUsedAt: Date | null) => ({
  clientId: holds,
  clientName: data(`Photo Book ${holds}`),
  access: consent.access,
  since: at('2026-01-05T10:00:00'),
  lastUsedAt,
  holds,
  chains: holds === 'whileAway' ? [chain('a', lastUsedAt), chain('gone', null)] : [],
  asksAgainFrom: holds === 'nothing' ? at('2026-06-30T12:00:00') : null,
});
const LONG_HOST = 'agents-and-tools-for-photographers.development.a-company-with-a-long-name.example';
const NEVER_OF_STRANGERS = { logo: null, terms: null, policy: null, rememberedForSeconds: null } as const;
/** Clients that no operator vetted. */
const STRANGERS: Readonly<Record<string, Partial<ConsentView>>> = {
  document: { describedAt: `https://${LONG_HOST}`, destination: data(LONG_HOST) },
  'document-device': { describedAt: `https://${LONG_HOST}`, destination: data('127.0.0.1:41239'), onThisDevice: true },
  registration: { registeredItself: true },
};
const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const permissions: PermissionsView = {
  endAccess: '/permissions/end',
  endSession: '/permissions/sessions/end',
  csrf: 'x',
  username: data('alice'),
  allowed: [allowed('whileAway', at('2026-03-31T23:30:00')), allowed('nowOnly', null), allowed('nothing', null)],
  more: true,
  browsers: [
    {
      sid: 'a',
      userAgent: CHROME,
      signedInAt: at('2026-03-01T08:00:00'),
      lastUsedAt: at('2026-04-01T09:05:00'),
      isThis: true,
      amr: ['pwd', 'otp', 'mfa'],
    },
    {
      sid: 'b',
      userAgent: null,
      signedInAt: at('2026-03-01T08:00:00'),
      lastUsedAt: at('2026-03-02T09:05:00'),
      isThis: false,
      amr: ['x'],
    },
  ],
  justEnded: null,
  signOut: '/oauth/logout',
  account: '/account',
};

const origins = new Map([
  ['a', { address: data('2001:db8::17'), place: { city: data('Vienna'), country: data('Austria') } }],
  ['b', { address: data('198.51.100.7'), place: null }],
]);

const home = {
  issuer: data('https://login.example'),
  account: '/account',
  metadata: '/.well-known/openid-configuration',
};
const demo = { username: data('demo'), password: data('secret'), playground: '/playground', console: '/console' };
const problem = (name: string, problemOf: (words: Look['words']) => { title: string; what: string; next: string }) => ({
  name: `problem-${name}`,
  html: (look: Look) => problemPage(look, problemOf(look.words)),
});

function accountSample(
  name: string,
  current: AccountFrame['current'],
  content: AccountBody['content'],
  said: { readonly done?: (look: Look) => string; readonly problem?: (look: Look) => string | null } = {},
): Sample {
  return {
    name,
    html: (look) => {
      const sections = SECTIONS.map(({ id, path }) => ({ id, href: path }));
      const frame = {
        look,
        username: data('alice'),
        overview: '/account',
        signOut: '/oauth/logout',
        sections,
        current,
      };
      return accountPage(frame, { content, done: said.done?.(look) ?? null, problem: said.problem?.(look) ?? null });
    },
  };
}

const passkey = (look: Look) =>
  passkeyButton(
    look,
    { action: '/x', csrf: 'x', options: '{}', autofill: false },
    {
      button: look.words.factor.withPasskey,
      failed: look.words.factor.passkeyNeedsScript,
    },
  );

/** As a library draws it. */
const setUp = { id: 'x', secretText: 'ABCD EFGH', qrCode: '<svg viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>' };

const key = { credentialId: new Uint8Array(1), transports: [] };
const methods: MethodsView = {
  methods: {
    apps: [{ id: 'a', confirmedAt: at('2026-01-05T10:00:00') }],
    passkeys: [
      {
        id: 'b',
        name: data('Phone'),
        createdAt: at('2026-01-05T10:00:00'),
        lastUsedAt: null,
        isSynced: true,
        isSecondFactorOnly: false,
        ...key,
      },
      {
        id: 'c',
        name: data('Key'),
        createdAt: at('2026-01-05T10:00:00'),
        lastUsedAt: at('2026-01-06T10:00:00'),
        isSynced: false,
        isSecondFactorOnly: true,
        ...key,
      },
    ],
    recoveryCodesLeft: 8,
    isDemanded: true,
  },
  at: (form) => `/x/${form}`,
  csrf: 'x',
  prove: '/prove',
};
const none = { apps: [], passkeys: [], recoveryCodesLeft: 0, isDemanded: false };

const factor: FactorPageView = {
  action: (below = '') => `/x${below}`,
  csrf: 'x',
  clientName: data('Photo Book'),
  username: data('alice'),
  asks: 'factor',
  hasApp: true,
  hasRecoveryCodes: true,
  isStepUp: true,
  hasPasskey: false,
  problem: null,
  another: '/another',
  mayDecline: true,
  methods: '/account/sign-in-methods',
  lost: '/email/lost-factors',
  passkey: null,
  progress: { step: 2, steps: 2 },
  trustSeconds: null,
};

const trust = {
  end: '/x',
  endAll: '/y',
  browsers: [null, at('2026-01-06T10:00:00')].map((lastUsedAt, index) => ({
    id: `browser-${index}`,
    userAgent: null,
    createdAt: at('2026-01-05T10:00:00'),
    lastUsedAt,
    endsAt: at('2026-02-04T10:00:00'),
  })),
};
const places = [{ name: 'company', label: data('Company account') }];
const buttons = (look: Look) => externalButtons(look, 'x', { action: '/x', places });
const linked = [{ id: 'x', label: data('Company account'), linkedAt: at('2026-01-05T10:00:00') }];

const profile = {
  action: '/x',
  csrf: 'x',
  version: 'x',
  typed: new Map(),
  misfits: [],
  fields: profileFields(
    {
      scopes: [],
      editableByUser: [
        ...SELF_DESCRIBED_CLAIMS.map((name) => ({ name })),
        { name: 'department', label: data('Department'), choices: [data('Sales'), data('Engineering')] },
      ],
    },
    { name: data('Alice'), department: data('Sales') },
  ),
};
const summary: AccountSummary = {
  name: data('Alice Liddell'),
  email: { address: data('alice@example.com'), isVerified: true },
  hasPassword: true,
  passkeys: 2,
  authenticatorApps: { count: 1, since: at('2026-01-05T10:00:00') },
  recoveryCodes: 8,
  linkedIdentities: 1,
  browsers: 3,
  lastSignIn: { signedInAt: at('2026-03-01T08:00:00'), amr: ['pwd', 'otp', 'mfa'], userAgent: CHROME },
  clientsWithAccess: 4,
};
const newAccount: AccountSummary = {
  ...summary,
  name: null,
  email: null,
  hasPassword: false,
  passkeys: 0,
  authenticatorApps: { count: 0, since: null },
  recoveryCodes: 0,
  linkedIdentities: 0,
  clientsWithAccess: 0,
};

/** @param words the keys of the problems. */
export const samples = (words: Look['words']): readonly Sample[] => [
  { name: 'sign-in', html: (look) => signInPage(look, signIn) },
  { name: 'sign-in-again', html: (look) => signInPage(look, { ...signIn, clientName: null, again: true }) },
  { name: 'sign-in-directly', html: (look) => signInPage(look, { ...signIn, clientName: null, username: '' }) },
  {
    name: 'sign-in-choose',
    html: (look) => signInPage(look, { ...signIn, goOn: { action: '/x', username: data('alice') } }),
  },
  ...keysOf(words.signIn.refused).map((key) => ({
    name: `sign-in-${key}`,
    html: (look: Look) => signInPage(look, { ...signIn, problem: key }),
  })),
  ...[30, 600].map((throttledSeconds) => ({
    name: `sign-in-throttled-${throttledSeconds}`,
    html: (look: Look) => signInPage(look, { ...signIn, problem: { throttledSeconds } }),
  })),
  {
    name: 'sign-in-passkey',
    html: (look) => signInPage(look, { ...signIn, more: [passkey(look)] }),
  },
  { name: 'identifier', html: (look) => identifierPage(look, { ...signIn, more: [passkey(look), buttons(look)] }) },
  ...([true, false] as const).map((password) => ({
    name: `methods${password ? '' : '-without-password'}`,
    html: (look: Look) =>
      methodsPage(look, { ...signIn, change: '/x', password, first: passkey(look), more: [buttons(look)] }),
  })),
  {
    name: 'methods-mismatch',
    html: (look) => methodsPage(look, { ...signIn, change: '/x', password: true, first: null, problem: 'mismatch' }),
  },
  ...(['factor', 'setUp', 'passkey'] as const).map((asks) => ({
    name: `factor-${asks}`,
    html: (look: Look) => factorPage(look, { ...factor, asks, passkey: passkey(look) }),
  })),
  ...[30 * 86_400, 3600].map((trustSeconds) => ({
    name: `factor-trust-${trustSeconds}`,
    html: (look: Look) => factorPage(look, { ...factor, isStepUp: false, mayDecline: false, trustSeconds }),
  })),
  {
    name: 'factor-passkey-only',
    html: (look) => factorPage(look, { ...factor, hasApp: false, hasPasskey: true, passkey: passkey(look) }),
  },
  ...keysOf(words.factor.refused).map((problem) => ({
    name: `factor-refused-${problem}`,
    html: (look: Look) => factorPage(look, { ...factor, problem, isStepUp: false, hasPasskey: true }),
  })),
  {
    name: 'factor-set-up',
    html: (look) => setUpPage(look, { action: '/x', csrf: 'x', setUp, problem: null }),
  },
  ...(['byMail', 'inAccount', null] as const).map((firstPassword) => ({
    name: `factor-codes-${firstPassword}`,
    html: (look: Look) =>
      recoveryCodesPage(look, {
        codes: ['abcde-fghij', 'klmno-pqrst'],
        username: data('alice'),
        service: { name: data('Example'), host: 'as.test' },
        madeAt: new Date('2030-01-01T12:00:00Z'),
        firstPassword,
        goOn: { action: '/x', csrf: 'x' },
      }),
  })),
  accountSample('account-methods', 'sign-in-methods', ({ look }) => signInMethods(look, methods)),
  accountSample('account-methods-none', 'sign-in-methods', ({ look }) =>
    signInMethods(look, { ...methods, methods: none }),
  ),
  {
    name: 'sign-in-elsewhere',
    html: (look) => signInPage(look, { ...signIn, more: [externalButtons(look, 'x', { action: '/x', places })] }),
  },
  ...keysOf(words.externalSignIn.problems).map((problem) => ({
    name: `problem-external-${problem}`,
    html: (look: Look) => externalProblemPage(look, problem, { href: '/x', isAccount: problem === 'unknown' }),
  })),
  accountSample('account-linked', 'linked-identities', ({ look }) =>
    linkedIdentities(look, { remove: '/x', link: '/y', csrf: 'x', linked, places }),
  ),
  accountSample('account-linked-none', 'linked-identities', ({ look }) =>
    linkedIdentities(look, { remove: '/x', link: '/y', csrf: 'x', linked: [], places: [] }),
  ),
  { name: 'consent', html: (look) => consentPage(look, consent) },
  { name: 'consent-device', html: (look) => consentPage(look, { ...consent, onThisDevice: true, whileAway: false }) },
  ...Object.entries(STRANGERS).map(([name, stranger]) => ({
    name: `consent-${name}`,
    html: (look: Look) => consentPage(look, { ...consent, ...NEVER_OF_STRANGERS, ...stranger }),
  })),
  ...Object.entries({ '': summary, '-new': newAccount, '-codes-used': { ...summary, recoveryCodes: 0 } }).map(
    ([name, shown]) => accountSample(`account${name}`, null, (frame) => overview(frame, shown)),
  ),
  accountSample('account-apps', 'apps', ({ look }) => apps(look, { ...permissions, end: '/x', endOne: '/x' })),
  accountSample(
    'account-devices',
    'devices',
    ({ look }) => devices(look, { ...permissions, end: '/x', endOthers: '/y', origins }),
    {
      done: (look) => look.words.accountDevices.done.others,
    },
  ),
  ...(['trust', 'allTrust'] as const).map((done) =>
    accountSample(
      `account-devices-${done}`,
      'devices',
      ({ look }) => devices(look, { ...permissions, end: '/x', endOthers: '/y', trust }),
      { done: (look) => look.words.accountDevices.done[done] },
    ),
  ),
  ...keysOf({ none: null, verified: null, unverified: null }).map((key) =>
    accountSample(`account-email-${key}`, 'email', ({ look }) =>
      addressPage(look, {
        verify: '/x',
        change: '/y',
        csrf: 'x',
        current: key === 'none' ? null : { address: data('alice@example.com'), isVerified: key === 'verified' },
      }),
    ),
  ),
  ...(['forgot', 'signUp'] as const).flatMap((what): Sample[] => [
    {
      name: `${what}-ask`,
      html: (look) =>
        askPage(look, {
          what,
          action: '/x',
          csrf: 'x',
          resumption: null,
          address: '',
          identifiers: 'both',
          botCheck: null,
          progress: { step: 1, steps: 2 },
          problem: 'addressRefused',
          signIn: '/y',
        }),
    },
    { name: `${what}-asked`, html: (look) => askedPage(look, what) },
  ]),
  ...(['username', 'email', 'both'] as const).map((identifiers) => ({
    name: `code-by-mail-ask-${identifiers}`,
    html: (look: Look) =>
      askForCodePage(look, {
        action: '/x',
        csrf: 'x',
        identifiers,
        back: '/y',
        username: data('alice'),
        problem: 'identifier',
        botCheck: null,
      }),
  })),
  ...([null, ...keysOf(words.mailedCode.refused)] as const)
    .filter((problem) => problem !== 'identifier')
    .map((problem) => ({
      name: `code-by-mail-type-${problem ?? 'sent'}`,
      html: (look: Look) =>
        typeCodePage(look, {
          action: '/x',
          csrf: 'x',
          identifiers: 'both',
          back: '/y',
          reference: 'x',
          another: '/z',
          problem,
        }),
    })),
  ...([null, 'throttled', ...keysOf(words.email.lostFactors.problems)] as const).map((problem) => ({
    name: `lost-factors-${problem ?? 'asked-for'}`,
    html: (look: Look) =>
      lostFactorsPage(look, { username: data('alice'), action: '/x', csrf: 'x', back: '/y', problem }),
  })),
  { name: 'lost-factors-asked', html: (look) => lostFactorsAskedPage(look) },
  ...keysOf(words.email.purposes).flatMap((purpose): Sample[] => [
    {
      name: `link-${purpose}`,
      html: (look) => linkPage(look, { ...link, purpose, minimumCharacters: SETS_PASSWORD.has(purpose) ? 15 : null }),
    },
    {
      name: `link-${purpose}-done`,
      html: (look) => linkDonePage(look, { purpose, next: { href: '/x', text: 'toSignIn' } }),
    },
  ]),
  {
    name: 'link-sign_up-with-passkey',
    html: (look) => {
      const { passkey, problems } = look.words.email;
      const form = { action: '/x', csrf: 'x', options: '{}', autofill: false, hidden: passkeyFields(link) };
      const words = { button: passkey.create, about: passkey.about, failed: problems.passkeyRefused };
      return linkPage(look, { ...link, purpose: 'sign_up', passkey: passkeyButton(look, form, words) });
    },
  },
  ...([null, 'usernameNotExpected', 'usernameTaken'] as const).map((problem) => ({
    name: `operator-set-up-${problem ?? 'opened'}`,
    html: (look: Look) => {
      const { passkey, problems } = look.words.email;
      const form = { action: '/x', csrf: 'x', options: '{}', autofill: false, hidden: setUpPasskeyFields('x') };
      const own = {
        button: look.words.operatorSetUp.withPasskey,
        about: passkey.about,
        failed: problems.passkeyRefused,
      };
      return operatorSetUpPage(look, {
        action: '/x',
        csrf: 'x',
        secret: 'x',
        given: problem === null ? data('ada') : null,
        username: data('ada'),
        minimumCharacters: 8,
        problem,
        passkey: passkeyButton(look, form, own),
      });
    },
  })),
  ...[true, false].map((isDeclared) => ({
    name: `operator-set-up-done${isDeclared ? '-declared' : ''}`,
    html: (look: Look) => operatorMadePage(look, { username: data('ada'), isDeclared, console: '/console' }),
  })),
  ...keysOf(words.operatorSetUp.useless).map((reason) => ({
    name: `operator-set-up-useless-${reason}`,
    html: (look: Look) => uselessSetUpPage(look, reason, '/sign-in'),
  })),
  ...keysOf(words.email.problems).map((key) => ({
    name: `link-problem-${key}`,
    html: (look: Look) => linkPage(look, { ...link, purpose: 'sign_up', problem: key }),
  })),
  ...(['link_unknown', 'link_expired', 'link_used'] as const).map((reason) => ({
    name: `useless-${reason}`,
    html: (look: Look) => uselessLinkPage(look, reason, '/sign-in'),
  })),
  ...(
    [
      null,
      { reason: 'too_short', characters: 3, atLeast: 15 },
      { reason: 'sign_in_refused', problem: 'mismatch' },
    ] as const
  ).map((refused) =>
    accountSample(
      `account-password${refused === null ? '' : `-${refused.reason}`}`,
      'password',
      ({ look }) =>
        passwordForm(look, {
          action: '/x',
          csrf: 'x',
          username: data('alice'),
          asksForCurrent: true,
          minimumCharacters: 15,
          problem: refused,
        }),
      { problem: (look) => problemOf(look, refused) },
    ),
  ),
  accountSample('account-profile', 'profile', ({ look }) => profileForm(look, profile), {
    done: (look) => look.words.accountProfile.saved,
  }),
  ...keysOf(words.accountProfile.refused).map((reason) =>
    accountSample(
      `account-profile-${reason}`,
      'profile',
      ({ look }) => profileForm(look, { ...profile, misfits: profile.fields.map(({ name }) => name) }),
      { problem: (look) => look.words.accountProfile.refused[reason] },
    ),
  ),
  accountSample('account-data', 'data', ({ look }) => dataForm(look, { action: '/x', csrf: 'x' })),
  ...[true, false].map((mayNot) =>
    accountSample(`account-delete${mayNot ? '-refused' : ''}`, 'delete', ({ look }) =>
      deleteForm(look, { action: '/x', csrf: 'x', username: data('alice'), mayNot }),
    ),
  ),
  { name: 'account-deleted', html: (look) => deletedPage(look, { home: '/' }) },
  { name: 'form-post', html: (look) => formPostPage(look, 'https://photos.example/cb', { code: 'x' }) },
  { name: 'permissions', html: (look) => permissionsPage(look, permissions) },
  {
    name: 'permissions-empty',
    html: (look) => permissionsPage(look, { ...permissions, allowed: [], more: false, justEnded: 'access' }),
  },
  { name: 'permissions-ended', html: (look) => permissionsPage(look, { ...permissions, justEnded: 'session' }) },
  {
    name: 'sign-out',
    html: (look) =>
      logoutPage(look, {
        action: '/oauth/logout/decision',
        hidden: { csrf: 'x' },
        username: data('alice'),
        clientName: data('Photo Book'),
        destination: data('photos.example'),
        permissions: '/permissions',
      }),
  },
  ...[true, false].map((wasSignedIn) => ({
    name: wasSignedIn ? 'signed-out' : 'not-signed-in',
    html: (look: Look) => signedOutPage(look, { wasSignedIn, permissions: '/permissions' }),
  })),
  {
    name: 'still-signed-in',
    html: (look) =>
      stillSignedInPage(look, {
        username: data('alice'),
        back: { name: data('Photo Book'), href: 'https://photos.example/' },
        permissions: '/permissions',
      }),
  },
  ...keysOf(words.logout.refused.reasons).map((reason) => ({
    name: `sign-out-${reason}`,
    html: (look: Look) => refusedLogoutPage(look, { reason, signOut: '/oauth/logout' }),
  })),
  { name: 'home', html: (look) => homePage(look, { ...home, demo, withGuides: true }) },
  { name: 'home-in-production', html: (look) => homePage(look, { ...home, demo: null, withGuides: false }) },
  ...keysOf(words.problems).map((key) => problem(key, ({ problems }) => problems[key])),
  ...keysOf(words.interaction).map((key) => problem(key, ({ interaction }) => interaction[key])),
  {
    name: 'problem-kept-here',
    html: (look) => problemPage(look, { ...look.words.problems.shownLocally, technical: data('a scope is unknown') }),
  },
  ...keysOf(words.unverified.reasons).map((reason) => ({
    name: `unverified-${reason}`,
    html: (look: Look) =>
      unverifiedRequestPage(
        look,
        {
          kind: 'unverified',
          reason,
          clientId: null,
          registered: ['https://a.example/cb'],
          received: 'https://a.example/c',
        },
        false,
      ),
  })),
];
