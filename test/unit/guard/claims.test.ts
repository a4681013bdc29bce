/** The schema of an API for the claims of its tokens, and the report of refusals. */
import { beforeEach, describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import type { ClaimsSchema, GuardOptions } from '../../../src/guard/index.ts';
import { createGuard } from '../../../src/guard/index.ts';
import { bearer, FAKE_ISSUER, FAKE_RESOURCE, type FakeIssuer, fakeIssuer } from '../../support/fake-issuer.ts';

const NEEDS = { scopes: ['read'] };

describe('a guard with a schema of claims', () => {
  let issuer: FakeIssuer;
  beforeEach(async () => {
    issuer = await fakeIssuer();
  });
  const guardOf = <Claims>(claims: ClaimsSchema<Claims>, more: Partial<GuardOptions> = {}) =>
    createGuard({
      ...{ issuer: FAKE_ISSUER, resource: FAKE_RESOURCE, fetch: issuer.fetch, now: () => issuer.clock.now() },
      ...more,
      claims,
    });
  const schemaOf = <Claims>(
    validate: (value: unknown) => { value: Claims } | { issues: unknown[] } | Promise<{ value: Claims }>,
  ): ClaimsSchema<Claims> => ({ '~standard': { version: 1, vendor: 'test', validate } });

  it('types the claims of the caller, beside those of every token', async () => {
    const guard = guardOf(z.object({ roles: z.array(z.string()) }));
    const outcome = await guard.check(bearer(await issuer.token({ claims: { roles: ['admin'] } })), NEEDS);
    if (outcome.kind !== 'granted') throw new Error(outcome.reason);
    expectTypeOf(outcome.access.claims.roles).toEqualTypeOf<string[]>();
    expectTypeOf(outcome.access.claims.sub).toEqualTypeOf<string>();
    expect(outcome.access.claims).toMatchObject({ roles: ['admin'], sub: 'ada', client_id: 'photo-book' });
    expect(outcome.access).toMatchObject({ subject: 'ada', clientId: 'photo-book', scopes: ['read'] });
  });

  it('passes on the output of the schema, also of an asynchronous one', async () => {
    const guard = guardOf(
      z.object({ team: z.string().transform(async (name) => ({ name })), level: z.number().default(1) }),
    );
    const outcome = await guard.check(bearer(await issuer.token({ claims: { team: 'blue' } })), NEEDS);
    expect(outcome).toMatchObject({ access: { claims: { team: { name: 'blue' }, level: 1, sub: 'ada' } } });
  });

  it('gives the schema the claims of the token', async () => {
    const seen: unknown[] = [];
    const guard = guardOf(schemaOf((value) => ({ value: seen.push(value) })));
    await guard.check(bearer(await issuer.token({ claims: { team: 'blue' } })), NEEDS);
    expect(seen).toEqual([expect.objectContaining({ team: 'blue', sub: 'ada', aud: FAKE_RESOURCE })]);
  });

  it('rejects a token whose claims do not match, without quoting them', async () => {
    const guard = guardOf(z.object({ roles: z.array(z.string()) }));
    for (const roles of ['admin', undefined]) {
      const outcome = await guard.check(bearer(await issuer.token({ claims: { roles } })), NEEDS);
      expect(outcome).toMatchObject({ kind: 'refused', status: 401, error: 'invalid_token', reason: 'claims_refused' });
      expect(JSON.stringify(outcome)).not.toContain('admin');
    }
  });

  it('does not ask the schema about a token that fails another check', async () => {
    const guard = guardOf(
      schemaOf(() => {
        throw new Error('asked');
      }),
    );
    const token = await issuer.token({ claims: { aud: 'https://other.example' } });
    expect(await guard.check(bearer(token), NEEDS)).toMatchObject({ reason: 'other_audience' });
  });

  it.each<[string, () => never | Promise<never>]>([
    [
      'throws',
      () => {
        throw new Error('a secret');
      },
    ],
    ['rejects', () => Promise.reject(new Error('a secret'))],
  ])('lets no caller in when the schema %s', async (_name, validate) => {
    const outcome = await guardOf(schemaOf(validate)).check(bearer(await issuer.token()), NEEDS);
    expect(outcome).toMatchObject({ kind: 'unavailable', status: 503, reason: 'internal' });
    expect(JSON.stringify(outcome)).not.toContain('a secret');
  });

  it.each([{}, { '~standard': {} }, { '~standard': { validate: 'x' } }])('does not start with %j', (wrong) => {
    expect(() => guardOf(wrong as never)).toThrow(
      'The guard needs claims: a schema with the interface Standard Schema.',
    );
  });
});

describe('onRefusal', () => {
  it('hears of each refused request, with the reason, and of no other', async () => {
    const issuer = await fakeIssuer();
    const heard: unknown[] = [];
    const guard = issuer.guard({ onRefusal: (outcome, request) => heard.push([outcome.reason, request.url]) });
    await guard.check(bearer(await issuer.token(), { url: '/granted' }), NEEDS);
    await guard.check({ headers: {}, url: '/refused' }, NEEDS);
    issuer.answers.keys = () => new Response('', { status: 500 });
    await issuer
      .guard({ onRefusal: ({ kind }) => heard.push(kind) })
      .check(bearer(await issuer.token(), { url: '/unavailable' }), NEEDS);
    expect(heard).toEqual([['no_credentials', '/refused'], 'unavailable']);
  });

  it.each<[string, () => void | Promise<void>]>([
    [
      'fails',
      () => {
        throw new Error('the log is full');
      },
    ],
    ['rejects', () => Promise.reject(new Error('the log is full'))],
  ])('changes no outcome and ends no process when it %s', async (_, onRefusal) => {
    const issuer = await fakeIssuer();
    const guard = issuer.guard({ onRefusal });
    expect(await guard.check({ headers: {} }, NEEDS)).toMatchObject({ status: 401, reason: 'no_credentials' });
  });
});
