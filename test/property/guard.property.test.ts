/** For any input from callers or from the server, a guard returns one of its outcomes, and accepts only a valid token. */
import { createHmac } from 'node:crypto';
import { fc } from '@fast-check/vitest';
import { exportSPKI } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import type { GuardedRequest, Needs, Outcome } from '../../src/guard/index.ts';
import {
  bearer,
  FAKE_ISSUER,
  FAKE_RESOURCE,
  type FakeIssuer,
  type FakeKey,
  fakeIssuer,
  fakeKey,
  signedBy,
} from '../support/fake-issuer.ts';

const NEEDS: Needs = { scopes: ['read'] };
const STATUS_OF = {
  invalid_request: 400,
  invalid_token: 401,
  invalid_dpop_proof: 401,
  insufficient_scope: 403,
  insufficient_user_authentication: 401,
} as const;

/** One of the three, whole, and with headers that any HTTP server takes. */
function isOutcome(outcome: Outcome): void {
  for (const value of Object.values(outcome.headers)) expect(value).toMatch(/^[\x20-\x7e]+$/);
  expect(outcome.headers).toMatchObject({ 'cache-control': 'no-store', vary: 'Authorization' });
  if (outcome.kind === 'granted') return void expect(outcome.access.subject).toBeTypeOf('string');
  if (outcome.kind === 'unavailable') {
    expect(outcome.status).toBe(503);
    return void expect(Number(outcome.headers['retry-after'])).toBeGreaterThan(0);
  }
  expect(outcome.kind).toBe('refused');
  expect(outcome.status).toBe(outcome.error === null ? 401 : STATUS_OF[outcome.error]);
  expect(outcome.headers['www-authenticate']).toMatch(/^Bearer\b/);
}

describe('a guard', () => {
  let issuer: FakeIssuer;
  let good: string;
  let stranger: FakeKey;
  let sameName: FakeKey;
  let publicKey: string;
  beforeAll(async () => {
    issuer = await fakeIssuer();
    good = await issuer.token();
    stranger = await fakeKey('stranger');
    sameName = await fakeKey('first');
    publicKey = await exportSPKI(issuer.key.publicKey);
  });

  /** The signed part as it is, and the same signature, however its base64url is spelled. */
  const isTheGoodOne = (token: string): boolean => {
    const [header, payload, signature = '', ...more] = token.split('.');
    const [itsHeader, itsPayload, itsSignature = ''] = good.split('.');
    const bytes = (text: string) => Buffer.from(text, 'base64url').toString('hex');
    return (
      more.length === 0 && header === itsHeader && payload === itsPayload && bytes(signature) === bytes(itsSignature)
    );
  };

  it('accepts no arbitrary Authorization header', async () => {
    const guard = issuer.guard();
    const value = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.string({ unit: 'binary', maxLength: 200 }).map((text) => `Bearer ${text}`),
      fc.base64String().map((text) => `bearer ${text}.${text}.${text}`),
      fc
        .array(
          fc.json().map((text) => Buffer.from(text).toString('base64url')),
          { minLength: 1, maxLength: 5 },
        )
        .map((parts) => `Bearer ${parts.join('.')}`),
      fc.nat(100_000).map((length) => `Bearer ${'a'.repeat(length)}`),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(value, fc.array(value)),
        fc.option(fc.webUrl(), { nil: undefined }),
        async (authorization, url) => {
          const outcome = await guard.check({ headers: { authorization }, url }, NEEDS);
          isOutcome(outcome);
          expect(outcome.kind).toBe('refused');
        },
      ),
      { numRuns: 500 },
    );
  });

  it('throws for no request and no requirements, whatever they are', async () => {
    const guard = issuer.guard();
    await fc.assert(
      fc.asyncProperty(fc.anything(), fc.anything(), async (request, needs) => {
        const outcome = await guard.check(request as GuardedRequest, needs as Needs);
        isOutcome(outcome);
        expect(outcome.kind).not.toBe('granted');
      }),
      { numRuns: 500 },
    );
  });

  it('rejects a token with any change', async () => {
    const guard = issuer.guard();
    const edit = fc.record({
      at: fc.nat(good.length - 1),
      remove: fc.nat(3),
      insert: fc.oneof(fc.constant(''), fc.string({ maxLength: 3 }), fc.base64String({ maxLength: 4 })),
    });
    const changed = fc
      .array(edit, { minLength: 1, maxLength: 3 })
      .map((edits) =>
        edits.reduce((text, { at, remove, insert }) => text.slice(0, at) + insert + text.slice(at + remove), good),
      );
    await fc.assert(
      fc.asyncProperty(changed, async (token) => {
        const outcome = await guard.check(bearer(token), NEEDS);
        isOutcome(outcome);
        // A cut at either end of the header is for the reading of the header, which has its own tests.
        if (outcome.kind === 'granted') expect(isTheGoodOne(token), token).toBe(true);
        else expect(outcome.kind).toBe('refused');
      }),
      { numRuns: 500 },
    );
  });

  /** Each choice, and whether a token with it is valid. This table is the whole oracle. */
  const families = () => {
    const now = Math.floor(issuer.clock.now().getTime() / 1000);
    const choice = <T>(fine: readonly T[], wrong: readonly T[]) =>
      fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...fine).map((value) => ({ value, fine: true })) },
        { weight: 1, arbitrary: fc.constantFrom(...wrong).map((value) => ({ value, fine: false })) },
      );
    return fc.record({
      signer: choice<'issuer' | 'stranger' | 'sameName' | 'none' | 'mac'>(
        ['issuer'],
        ['stranger', 'sameName', 'none', 'mac'],
      ),
      kid: choice<unknown>(['first'], ['stranger', 'other', undefined, 7, null]),
      typ: choice<unknown>(['at+jwt', 'AT+JWT', 'application/at+jwt'], ['JWT', undefined, 'jwt', 'at+jwt;x', 7]),
      crit: choice<unknown>([undefined], [['b64'], [], ['exp'], 'exp']),
      iss: choice<unknown>([FAKE_ISSUER], [`${FAKE_ISSUER}/`, 'https://other.example', undefined, 7]),
      aud: choice<unknown>(
        [FAKE_RESOURCE, [FAKE_RESOURCE], ['https://other.example', FAKE_RESOURCE]],
        ['https://other.example', [], undefined, [7], `${FAKE_RESOURCE}/`],
      ),
      exp: choice<unknown>([now + 1, now + 900, now - 4], [now - 5, now - 86_400, undefined, 'later', null]),
      iat: choice<unknown>([now, now - 900, now + 5], [now + 6, undefined, 'now']),
      nbf: choice<unknown>([undefined, now, now + 5], [now + 6, 'now']),
      sub: choice<unknown>(['ada'], ['', undefined, 7]),
      clientId: choice<unknown>(['photo-book'], ['', undefined, 7]),
      jti: choice<unknown>(['a-jti'], ['', undefined, 7]),
      scope: choice<unknown>(['read', 'write read'], ['write', '', undefined, ['read'], 'readwrite', 7]),
      cnf: choice<unknown>([undefined], [{ jkt: 'x' }, {}, null, 'x']),
    });
  };

  it('accepts a token exactly when signature, audience, times and scope are all valid', async () => {
    const guard = issuer.guard();
    const seen = { granted: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(families(), async ({ signer, kid, typ, crit, clientId, ...rest }) => {
        const header = {
          alg: { none: 'none', mac: 'HS256' }[signer.value as string] ?? 'ES256',
          typ: typ.value,
          kid: kid.value,
          crit: crit.value,
        };
        const claims = {
          client_id: clientId.value,
          ...Object.fromEntries(Object.entries(rest).map(([name, { value }]) => [name, value])),
        };
        const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
        const input = `${encoded(header)}.${encoded(claims)}`;
        const token = {
          issuer: () => signedBy(issuer.key, header, claims),
          stranger: () => signedBy(stranger, header, claims),
          sameName: () => signedBy(sameName, header, claims),
          none: () => `${input}.`,
          mac: () => `${input}.${createHmac('sha256', publicKey).update(input).digest('base64url')}`,
        }[signer.value]();
        const outcome = await guard.check(bearer(token), NEEDS);
        isOutcome(outcome);
        const isRight = [signer, kid, typ, crit, clientId, ...Object.values(rest)].every(({ fine }) => fine);
        expect(outcome.kind).toBe(isRight ? 'granted' : 'refused');
        seen[isRight ? 'granted' : 'refused'] += 1;
      }),
      { numRuns: 1500 },
    );
    expect(Math.min(seen.granted, seen.refused)).toBeGreaterThan(10);
  });

  describe('for any answer of the server', () => {
    const status = fc.constantFrom(200, 200, 200, 201, 204, 302, 400, 404, 500, 503);
    const body = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc.constant('['.repeat(100_000)),
      fc.constant(' '.repeat(300_000)),
      fc
        .anything()
        .map((value) => ({ keys: value }))
        .map(textOf),
      fc
        .array(
          fc.oneof(
            fc.anything(),
            fc.record({
              kty: fc.constantFrom('EC', 'RSA', 'OKP', 'oct'),
              kid: fc.constantFrom('first', 'x'),
              alg: fc.constantFrom('ES256', 'none', 'HS256'),
              crv: fc.string(),
              x: fc.base64String(),
              y: fc.base64String(),
              n: fc.base64String(),
              e: fc.base64String(),
              k: fc.base64String(),
            }),
          ),
          { maxLength: 200 },
        )
        .map((keys) => textOf({ keys })),
      fc.boolean().map((active) => textOf({ active, scope: 'write' })),
    );
    const answer = fc.oneof(
      {
        weight: 5,
        arbitrary: fc
          .record({ status, body })
          .map((one) => () => new Response(one.status === 204 ? null : one.body, { status: one.status })),
      },
      { weight: 1, arbitrary: fc.anything().map((reason) => () => Promise.reject(reason)) },
      { weight: 1, arbitrary: fc.constant(() => new Promise<Response>(() => undefined)) },
      { weight: 1, arbitrary: fc.anything().map((thing) => () => thing as Response) },
    );

    it("accepts no token without the server's keys", async () => {
      await fc.assert(
        fc.asyncProperty(answer, fc.boolean(), async (made, ofMetadata) => {
          const server = await fakeIssuer();
          server.answers[ofMetadata ? 'metadata' : 'keys'] = made;
          const outcome = await server
            .guard({ keys: { timeoutMilliseconds: 20 } })
            .check(bearer(await server.token()), NEEDS);
          isOutcome(outcome);
          expect(outcome.kind).not.toBe('granted');
        }),
        { numRuns: 300 },
      );
    });

    it('accepts no token without an introspection answer, where introspection is on', async () => {
      await fc.assert(
        fc.asyncProperty(answer, async (made) => {
          const server = await fakeIssuer();
          server.answers.introspection = made;
          const introspection = { clientId: 'a', clientSecret: 'b', timeoutMilliseconds: 20 };
          const outcome = await server.guard({ introspection }).check(bearer(await server.token()), NEEDS);
          isOutcome(outcome);
          expect(outcome.kind).not.toBe('granted');
        }),
        { numRuns: 300 },
      );
    });
  });
});

/** A value that JSON cannot express, such as a cycle or a bigint, becomes another invalid one. */
function textOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return String(typeof value);
  }
}
