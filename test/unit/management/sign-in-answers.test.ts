/** The request of a delegated sign-in, and the answer of the application: without a database and without HTTP. */
import { describe, expect, it } from 'vitest';
import type { ExternalSignInRejectReason } from '../../../machines/external-sign-in/facts.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import type { ExternalSignIn } from '../../../src/lifecycles/external-sign-in/entity.ts';
import { problem } from '../../../src/management/problem.ts';
import { answerTo, documentOf, readAnswer, signIn, signInAnswer } from '../../../src/management/resources/sign-ins.ts';
import type { DelegatedAnswered } from '../../../src/people/delegated/delegated-sign-in.ts';
import { NO_PARAMETERS } from '../../../src/people/external/begin.ts';
import { sealInteraction } from '../../../src/protocol/sealed-interaction.ts';
import { testKeys } from '../../support/macs.ts';

const ISSUER = 'https://as.test/x';
const REFERENCE = 'r'.repeat(43);
const ADDRESS = `${ISSUER}/management/v1/sign-ins/${REFERENCE}`;
const AMR = ['pwd', 'otp', 'mfa'];
const SIGNED_IN = { amr: AMR, auth_time: 1_900_000_000 };
const READ = { kind: 'signedIn', amr: AMR, authTime: 1_900_000_000 };

const invalid = (...errors: readonly (readonly [string, string])[]) =>
  problem(
    'invalid_fields',
    'Nothing was changed. See "errors".',
    errors.map(([field, detail]) => ({ field, detail })),
  );
const { body, answer: shape, example } = signInAnswer.methods.PUT;
const { answer: requestShape } = signIn.methods.GET;
if (!body || !shape || !requestShape) throw new Error('an operation without schemas');

describe('an answer', () => {
  const EITHER = invalid(['sub', 'Expected either "sub" or "username", and not both.']);
  const ALONE = invalid(['denied', 'Expected no other member beside "denied".']);
  const NO_NAME = invalid(['username', 'Expected 1 to 256 characters without control characters.']);
  it.each<[object, unknown]>([
    [
      { ...SIGNED_IN, sub: 'ada' },
      { ...READ, who: { sub: 'ada' } },
    ],
    [
      { ...SIGNED_IN, username: ' ada ' },
      { ...READ, who: { username: 'ada', claims: {} } },
    ],
    [
      { ...SIGNED_IN, username: 'ada', claims: { name: 'Ada', department: 'sales' } },
      { ...READ, who: { username: 'ada', claims: { name: 'Ada', department: 'sales' } } },
    ],
    [
      { ...SIGNED_IN, auth_time: 0, sub: 'ada' },
      { ...READ, authTime: 0, who: { sub: 'ada' } },
    ],
    [{ denied: 'access_denied' }, { kind: 'denied', reason: 'access_denied' }],
    [
      { denied: 'login_failed', sub: undefined },
      { kind: 'denied', reason: 'login_failed' },
    ],
    ...Object.entries({ ...SIGNED_IN, sub: 'ada', username: 'ada', claims: {}, acr: 'urn:x' }).map(
      ([name, value]): [object, unknown] => [{ denied: 'access_denied', [name]: value }, ALONE],
    ),
    [{ auth_time: 1, sub: 'ada' }, invalid(['amr', 'Expected the methods of the sign-in (RFC 8176), found nothing.'])],
    [{ amr: AMR, sub: 'ada' }, invalid(['auth_time', 'Expected seconds since 1970, found nothing.'])],
    [SIGNED_IN, EITHER],
    [{ ...SIGNED_IN, sub: 'ada', username: 'ada' }, EITHER],
    [
      { ...SIGNED_IN, sub: 'ada', claims: {} },
      invalid(['claims', 'Expected no claims with "sub": only a just-in-time user gets them, by "username".']),
    ],
    [{ ...SIGNED_IN, username: '\0' }, NO_NAME],
    [{ ...SIGNED_IN, username: ' ' }, NO_NAME],
    [
      { ...SIGNED_IN, username: 'ada', claims: { name: 1, email: 'ada@example.com', sub: 'eve' } },
      invalid(
        ['claims.name', 'Expected a claim that an end-user can have.'],
        ['claims.sub', 'Expected a claim that an end-user can have.'],
      ),
    ],
  ])('%j', (sent, expected) => {
    expect(readAnswer(sent as Parameters<typeof readAnswer>[0])).toEqual(expected);
  });

  const [one, several, key] = body.shape.acr.unwrap().options;
  it.each([
    [['pwd'], one, true],
    [['pwd'], several, false],
    [['pwd', 'mfa'], one, true],
    [['pwd', 'mfa'], several, true],
    [['pwd', 'mfa'], key, false],
    [['hwk', 'mfa'], key, true],
  ] as const)('with the methods %j can have the class %s: %j', (amr, acr, isTaken) => {
    const read = readAnswer({ ...SIGNED_IN, amr: [...amr], acr, sub: 'ada' });
    const shown = { pwd: one, 'pwd,mfa': several, 'hwk,mfa': key }[amr.join()];
    expect(read).toEqual(
      isTaken
        ? { ...READ, amr, who: { sub: 'ada' } }
        : invalid(['acr', `Expected at most ${shown}, the class that "amr" shows.`]),
    );
  });

  it.each<[object, boolean]>([
    [{}, true],
    [{ other: 1 }, false],
    [{ sub: 'x'.repeat(255) }, true],
    [{ sub: 'x'.repeat(256) }, false],
    [{ sub: '' }, false],
    [{ username: 'x'.repeat(256) }, true],
    [{ username: 'x'.repeat(257) }, false],
    [{ username: '' }, false],
    [{ claims: {} }, true],
    [{ claims: [] }, false],
    [{ amr: ['p'] }, true],
    [{ amr: [] }, false],
    [{ amr: Array(10).fill('pwd') }, true],
    [{ amr: Array(11).fill('pwd') }, false],
    [{ amr: ['x'.repeat(32), '!~'] }, true],
    [{ amr: ['x'.repeat(33)] }, false],
    [{ amr: [''] }, false],
    [{ amr: ['pwd otp'] }, false],
    [{ amr: ['pwd\n'] }, false],
    [{ amr: ['é'] }, false],
    [{ amr: 'pwd' }, false],
    [{ acr: one }, true],
    [{ acr: 'gold' }, false],
    [{ auth_time: 0 }, true],
    [{ auth_time: -1 }, false],
    [{ auth_time: 1.5 }, false],
    [{ auth_time: '1' }, false],
    [{ auth_time: 253_402_300_799 }, true],
    [{ auth_time: 253_402_300_800 }, false],
    [{ denied: 'access_denied' }, true],
    [{ denied: 'login_failed' }, true],
    [{ denied: 'other' }, false],
  ])('has the members %j: %j', (sent, isGood) => {
    expect(body.safeParse(sent).success).toBe(isGood);
  });

  it('is read before its reference, and no database is asked for a reference that is none', async () => {
    const deps = { configuration: () => ({ delegatedSignIn: null }), random: { uuid: () => 'id' } };
    const put = (sent: object) => {
      const request = { params: { reference: 'short' }, body: sent, actor: { kind: 'client', id: 'app' } };
      return signInAnswer.methods.PUT.run(
        ...([deps, request] as unknown as Parameters<typeof signInAnswer.methods.PUT.run>),
      );
    };
    expect(await put(SIGNED_IN)).toEqual(EITHER);
    expect(await put({ ...SIGNED_IN, sub: 'ada' })).toEqual(problem('not_found', 'The sign-in was not found.'));
    const get = { params: { reference: 'short' } };
    expect(
      await signIn.methods.GET.run(...([deps, get] as unknown as Parameters<typeof signIn.methods.GET.run>)),
    ).toEqual(problem('not_found', 'The sign-in was not found.'));
  });

  it.each([
    ['', false],
    ['r', true],
    ['r'.repeat(100), true],
    ['r'.repeat(101), false],
  ])('has the reference %s: %j', (reference, isGood) => {
    expect(signInAnswer.params.safeParse({ reference }).success).toBe(isGood);
  });

  it('has an example that is read', () => {
    expect(readAnswer(body.parse(example))).toMatchObject({ kind: 'signedIn', who: { username: 'ada' } });
  });
});

const ROW: ExternalSignIn = {
  id: '00000000-0000-4000-8000-00000000000a',
  referenceHash: Buffer.alloc(32),
  kind: 'delegated',
  purpose: 'signIn',
  provider: 'delegated',
  browserHash: Buffer.alloc(32),
  interactionId: null,
  sealedInteraction: null,
  requested: NO_PARAMETERS,
  sealedSecrets: null,
  state: 'awaiting',
  userId: null,
  userEpoch: null,
  amr: null,
  authenticatedAt: null,
  refusal: null,
  beganAt: new Date('2030-01-01T00:00:00Z'),
  endsAt: new Date('2030-01-01T00:10:00Z'),
};

describe('the outcome', () => {
  const to = (outcome: DelegatedAnswered) => answerTo({ issuer: ISSUER }, REFERENCE, outcome);
  const conflict = (reason: 'sign_in_ended' | 'end_user_ended' | 'end_user_unknown', words: string) =>
    problem(reason, `${words} Nothing was changed.`);

  it.each<[DelegatedAnswered, unknown]>([
    [{ kind: 'unknown' }, problem('not_found', 'The sign-in was not found.')],
    [{ kind: 'inFuture' }, invalid(['auth_time', 'Expected an instant of the past, found one of the future.'])],
    [
      { kind: 'tooOld' },
      invalid([
        'auth_time',
        'Expected a sign-in that is recent enough for the client ("max_age", or "prompt" with "login").',
      ]),
    ],
    [
      { kind: 'usernameIsReserved' },
      invalid(['username', 'Expected a username without a role in operators.yaml for a new end-user.']),
    ],
  ])('%j is a problem', (outcome, expected) => {
    expect(to(outcome)).toEqual(expected);
  });

  it.each<[ExternalSignInRejectReason, ReturnType<typeof problem>]>([
    ['external_sign_in_expired', conflict('sign_in_ended', 'It took too long: the end-user has to begin again.')],
    ['external_sign_in_answered', conflict('sign_in_ended', 'It has been answered already, and the answer stays.')],
    ['external_sign_in_denied', conflict('sign_in_ended', 'It was denied, and that stays.')],
    ['external_sign_in_used', conflict('sign_in_ended', 'The reference was used for a sign-in, and is invalid.')],
    ['external_sign_in_overtaken', conflict('sign_in_ended', 'It cannot be answered.')],
    ['user_ended', conflict('end_user_ended', 'The end-user is disabled or deleted.')],
    [
      'nobody_linked',
      conflict(
        'end_user_unknown',
        'The end-user does not exist, and delegated-sign-in.yaml does not register just-in-time users.',
      ),
    ],
  ])('rejected with %s is a conflict', (reason, expected) => {
    expect(to({ kind: 'rejected', reason, signIn: ROW })).toEqual(expected);
  });

  it.each([
    ['answered', 'answered'],
    ['denied', 'denied'],
    // Lost and read again: the browser was faster.
    ['used', 'answered'],
  ] as const)('is a sign-in that is %s: %s', (state, shown) => {
    const row = { signIn: { ...ROW, state }, user: null, identity: null };
    const sent = {
      state: shown,
      return_to: `${ISSUER}/sign-in/delegated/${REFERENCE}`,
      _links: { self: { href: `${ADDRESS}/answer` } },
    };
    expect(to({ kind: 'done', row, serverEpoch: 1n })).toEqual({ kind: 'found', body: sent, representation: sent });
    expect(shape.parse(sent)).toEqual(sent);
  });
});

describe('the request of a sign-in', () => {
  const deps = { issuer: ISSUER, keys: testKeys };
  it('has nothing where no client asks', () => {
    const document = documentOf(deps, REFERENCE, ROW, null);
    expect(document).toEqual({
      state: 'awaiting',
      began_at: '2030-01-01T00:00:00.000Z',
      ends_at: '2030-01-01T00:10:00.000Z',
      client: null,
      scope: '',
      login_hint: null,
      prompt: [],
      max_age: null,
      acr_values: [],
      ui_locales: [],
      _links: { self: { href: ADDRESS }, answer: { href: `${ADDRESS}/answer` } },
    });
    expect(requestShape.parse(document)).toEqual(document);
  });

  it('has the parameters of the client, and its name', () => {
    const requested = {
      ...NO_PARAMETERS,
      clientId: 'shop',
      scope: ['openid', 'read'],
      prompt: ['login', 'consent'],
      maxAgeSeconds: 0,
      acrValues: ['a', 'b'],
      uiLocales: ['de', 'en'],
    } as const;
    const shop = { clientId: 'shop', clientName: 'The shop' };
    expect(documentOf(deps, REFERENCE, { ...ROW, requested, state: 'used' }, shop)).toMatchObject({
      state: 'used',
      client: { client_id: 'shop', client_name: 'The shop' },
      scope: 'openid read',
      prompt: ['login', 'consent'],
      max_age: 0,
      acr_values: ['a', 'b'],
      ui_locales: ['de', 'en'],
    });
  });

  it('has the login hint of its own sealed interaction, under a listed root secret', () => {
    const interaction = {
      ...{ id: '00000000-0000-4000-8000-000000000002', browserHash: Buffer.alloc(32), clientId: 'shop' },
      ...{
        clientEpoch: 1n,
        redirectUri: 'https://shop.test/cb',
        dpopJkt: null,
        codeChallenge: 'x'.repeat(43),
        scope: [],
      },
      ...{ resources: [], requestState: null, nonce: null, prompt: [], maxAgeSeconds: null, requiredClass: null },
      ...{ hintedUserId: null, loginHint: 'ada', uiLocales: [], responseMode: 'query' as const },
      ...{ createdAt: ROW.beganAt, endsAt: ROW.endsAt },
    };
    const random = { bytes: (size: number) => Buffer.alloc(size, 7), uuid: () => '' };
    const sealedInteraction = sealInteraction({ keys: testKeys, random }, interaction);
    const hint = (change: Partial<ExternalSignIn>, keys = testKeys) =>
      documentOf({ ...deps, keys }, REFERENCE, { ...ROW, ...change }, null).login_hint;
    const { id: interactionId } = interaction;
    expect(hint({ interactionId, sealedInteraction })).toBe('ada');
    expect(hint({ interactionId: ROW.id, sealedInteraction })).toBeNull();
    expect(hint({ interactionId: null, sealedInteraction })).toBeNull();
    expect(hint({ interactionId, sealedInteraction: null })).toBeNull();
    const others = rootKeys(['another root secret for tests, of more than 32 bytes']);
    expect(hint({ interactionId, sealedInteraction }, others)).toBeNull();
  });
});
