/** The formats of requests and answers, each with its near misses: bodies, queries, instants, cursors, names and words. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { instant } from '../../../src/management/instant.ts';
import { operationId } from '../../../src/management/openapi/names.ts';
import { collectSchemas, mergePatchOf, nullsAllowed } from '../../../src/management/openapi/schemas.ts';
import { TAGS, tagOf } from '../../../src/management/openapi/tags.ts';
import { ADDRESSES } from '../../../src/management/operations.ts';
import { exactInstant, listAnswer, pageBody, pageQuery } from '../../../src/management/page.ts';
import { PROBLEMS } from '../../../src/management/problem.ts';
import { PROBLEM_WORDS } from '../../../src/management/problem-words.ts';
import { preparing } from '../../../src/management/public-document.ts';
import { referencePage } from '../../../src/management/reference.ts';
import { checked, parsedJson, queryValues } from '../../../src/management/sent.ts';
import { isStorable } from '../../../src/oauth/sent-text.ts';
import { MAX_PAGE_ITEMS } from '../../../src/storage/page-size.ts';

const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

describe('a body', () => {
  it.each([
    ['{"a":[1]}', 'good'],
    ['null', 'good'],
    [nested(32), 'good'],
    [nested(33), 'malformed_json'],
    ['{', 'malformed_json'],
    ['', 'malformed_json'],
    ['\uFFFD', 'malformed_json'],
    ['{"__proto__":1}', 'invalid_fields'],
    ['{"a":[{"__proto__":null}]}', 'invalid_fields'],
    ['{"__prot__":1,"proto":1}', 'good'],
  ])('%j is %s', (text, expected) => {
    const read = parsedJson(text);
    expect(read.kind === 'good' ? 'good' : read.reason).toBe(expected);
    if (read.kind === 'problem') expect(read.detail).toMatch(/Nothing was changed\./);
  });

  const schema = z.strictObject({ name: z.string(), note: z.string().optional() });
  it('counts a null member as omitted, and is kept as sent', () => {
    const sent = { name: 'a' };
    expect(checked(schema, { name: 'a', note: null }, 'invalid_fields')).toEqual({ kind: 'good', value: sent, sent });
  });
  it.each([
    [[], [null]],
    ['text', [null]],
    [null, [null]],
    [{}, ['name']],
    [{ name: 1, other: 2 }, ['name', 'other']],
  ])('%j has problems with the fields %j', (input, fields) => {
    const read = checked(schema, input, 'invalid_fields');
    expect(read).toMatchObject({ kind: 'problem', reason: 'invalid_fields' });
    expect(read.kind === 'problem' && read.errors.map(({ field }) => field).toSorted()).toEqual(fields);
  });
});

describe('a query', () => {
  const query = (text: string) => queryValues(new URLSearchParams(text));
  it('has each parameter once', () => {
    expect(query('')).toEqual({ kind: 'good', value: {} });
    expect(query('a=1&b=')).toEqual({ kind: 'good', value: { a: '1', b: '' } });
    expect(query('kind=problem')).toEqual({ kind: 'good', value: { kind: 'problem' } });
    expect(query('a=1&b=1&a=2&a=3&b=1')).toMatchObject({
      kind: 'problem',
      reason: 'invalid_parameter',
      detail: 'Nothing was read. See "errors".',
      errors: ['a', 'b'].map((field) => ({ field, detail: 'Expected once, found several times.' })),
    });
  });

  it.each([
    ['1970-01-01T00:00:00Z', true],
    ['1969-12-31T23:59:59.999Z', false],
    ['1970-01-01T00:00:00+00:01', false],
    ['9999-12-31T23:59:59.999Z', true],
    ['9999-12-31T23:59:59.999-00:01', false],
    ['2030-01-01T00:00:00+02:00', true],
    ['2030-01-01', false],
  ])('has the instant %s: %j', (text, isGood) => {
    expect(instant.safeParse(text).success).toBe(isGood);
  });

  it.each([
    [{}, { limit: 50 }],
    [{ limit: '1' }, { limit: 1 }],
    [{ limit: '0' }, null],
    [{ limit: '1.5' }, null],
    [{ limit: String(MAX_PAGE_ITEMS) }, { limit: MAX_PAGE_ITEMS }],
    [{ limit: String(MAX_PAGE_ITEMS + 1) }, null],
    [{ cursor: '' }, null],
    [{ cursor: 'a_-0' }, { limit: 50, cursor: 'a_-0' }],
    [{ cursor: 'a+/=' }, null],
    [{ cursor: 'a\n' }, null],
  ])('of a page: %j', (given, expected) => {
    expect(z.object(pageQuery).safeParse(given).data ?? null).toEqual(expected);
  });

  it.each([
    [12_288, true],
    [12_289, false],
  ])('of a page with a cursor of %d characters', (length, isGood) => {
    expect(z.object(pageQuery).safeParse({ cursor: 'a'.repeat(length) }).success).toBe(isGood);
  });
});

describe('a page', () => {
  const href = 'https://as.test/management/v1/users?limit=2&cursor=old';
  const position = z.strictObject({ key: z.string() });
  const read = async ({ limit, after }: { limit: number; after: unknown }) => ({
    items: [{ limit, after }],
    next: { key: 'b' },
  });
  it('leads from the position of its cursor to the next', async () => {
    const cursor = Buffer.from('{"key":"a"}').toString('base64url');
    expect(await listAnswer({ limit: 2, cursor }, position, href, read)).toMatchObject({
      kind: 'found',
      body: {
        items: [{ limit: 2, after: { key: 'a' } }],
        _links: { self: { href }, next: { href: expect.stringContaining(`limit=2&cursor=`) } },
      },
    });
    expect(await listAnswer({ limit: 2 }, position, href, read)).toMatchObject({ body: { items: [{ after: null }] } });
  });

  it.each(['{"key":1}', '{"key":"a","more":1}', 'null', '{', ''])('has no cursor of the text %s', async (text) => {
    const cursor = Buffer.from(text).toString('base64url');
    for (const given of [cursor, `${cursor}!`]) {
      expect(await listAnswer({ limit: 2, cursor: given }, position, href, read)).toMatchObject({
        kind: 'problem',
        reason: 'invalid_parameter',
        detail: 'Nothing was read. See "errors".',
        errors: [{ field: 'cursor', detail: 'Expected the cursor of a link "next" of this list.' }],
      });
    }
  });

  it('has no link to the next where it is the last', () => {
    expect(pageBody({ items: [], next: null }, href)).toStrictEqual({ items: [], _links: { self: { href } } });
  });

  it.each([
    ['2030-01-01T00:00:00.123456Z', true],
    ['0001-01-01T00:00:00.000000Z', true],
    ['0000-01-01T00:00:00.000000Z', false],
    ['2030-01-01T00:00:00.123Z', false],
  ])('has the place %s: %j', (text, isGood) => {
    expect(exactInstant.safeParse(text).success).toBe(isGood);
  });

  it('has no key that Postgres does not store', () => {
    expect(['a', 'ä', '', '\0', 'a\0', '\ud800'].map(isStorable)).toEqual([true, true, true, false, false, false]);
  });
});

describe('the document', () => {
  it.each([
    ['GET', '/', false, 'getApi'],
    ['GET', '/users', true, 'listUsers'],
    ['GET', '/users/{sub}', false, 'getUser'],
    ['POST', '/users', false, 'createUser'],
    ['PUT', '/clients/{client_id}', false, 'replaceClient'],
    ['PATCH', '/users/{sub}', false, 'changeUser'],
    ['DELETE', '/users/{sub}/second-factor', false, 'deleteUserSecondFactor'],
    ['GET', '/users/{sub}/linked-identities', true, 'listUserLinkedIdentities'],
    ['DELETE', '/linked-identities/{id}', false, 'deleteLinkedIdentity'],
    ['GET', '/addresses/{id}', false, 'getAddresse'],
    ['GET', '/status', false, 'getStatus'],
    ['POST', '/status', false, 'createStatus'],
  ] as const)('names %s %s (a list: %j) %s', (method, path, isList, name) => {
    expect(operationId(method, path, isList)).toBe(name);
  });

  it('has the collection of a path as its tag', () => {
    expect((['/', '/users/{sub}', '/webhook-deliveries/{delivery_id}/attempts'] as const).map(tagOf)).toEqual([
      'API',
      'users',
      'webhook deliveries',
    ]);
  });

  it('has each collection once among its tags, in words', () => {
    const names = TAGS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(ADDRESSES.map(tagOf))).toEqual(new Set(names));
    for (const { name, description } of TAGS)
      expect([name, description]).toEqual([name, expect.stringMatching(/^[A-Z].+\.$/)]);
  });

  it('has schemas as they travel', () => {
    const schemas = collectSchemas();
    const inner = z.object({ id: z.uuid(), at: z.iso.datetime(), count: z.int(), size: z.int().min(1).max(9) });
    const named = z.array(inner.meta({ id: 'Inner' }));
    expect(schemas.of(named)).toMatchObject({ type: 'array', items: { $ref: '#/components/schemas/Inner' } });
    schemas.of(z.array(z.object({}).meta({ id: 'Earlier' })));
    expect(Object.keys(schemas.components())).toEqual(['Earlier', 'Inner']);
    expect(schemas.components()['Inner']).toMatchObject({
      properties: {
        id: { type: 'string', format: 'uuid' },
        at: { type: 'string', format: 'date-time' },
        count: { type: 'integer' },
        size: { type: 'integer', minimum: 1, maximum: 9 },
      },
    });
    const { id, at, count } = (schemas.components()['Inner'] as { properties: Record<string, object> }).properties;
    for (const member of [id, at, count])
      expect(Object.keys(member ?? {}).filter((key) => /pattern|imum/.test(key))).toEqual([]);
  });

  it('allows null for omitted members, and no default in a patch', () => {
    const schema = {
      type: 'object',
      required: ['a'],
      properties: {
        a: { type: 'string' },
        b: { type: 'string', description: 'B', default: 'x', maxLength: 3 },
        c: { type: ['string', 'number'] },
        d: { type: 'string', enum: ['x'], default: 'x' },
        e: { $ref: '#/components/schemas/E' },
      },
    };
    const optional = {
      b: { type: ['string', 'null'], description: 'B', default: 'x', maxLength: 3 },
      c: { type: ['string', 'number', 'null'] },
      d: { default: 'x', anyOf: [{ type: 'string', enum: ['x'] }, { type: 'null' }] },
      e: { $ref: '#/components/schemas/E' },
    };
    expect(nullsAllowed(schema)).toEqual({ ...schema, properties: { a: { type: 'string' }, ...optional } });
    const { default: _, ...b } = optional.b;
    expect(mergePatchOf(schema)).toEqual({
      type: 'object',
      properties: { a: { type: ['string', 'null'] }, ...optional, b, d: { anyOf: optional.d.anyOf } },
    });
    expect(nullsAllowed({})).toEqual({ properties: {} });
    expect(mergePatchOf({})).toEqual({ properties: {} });
  });
});

describe('a problem', () => {
  it.each(Object.keys(PROBLEMS) as (keyof typeof PROBLEMS)[])(
    '%s has its meaning and its remedy, in sentences',
    (reason) => {
      const { means, remedy } = PROBLEM_WORDS[reason];
      for (const words of [means, remedy]) expect(words).toMatch(/^\S.+\.$/s);
      expect(PROBLEMS[reason].title).toMatch(/^[A-Z]/);
      expect(PROBLEMS[reason].status).toBeGreaterThanOrEqual(400);
    },
  );
});

describe('a public document', () => {
  it('is prepared once while its text stays', () => {
    const prepared = preparing();
    const first = prepared('a');
    expect(first.bytes.toString()).toBe('a');
    expect(prepared('a')).toBe(first);
    expect(prepared('b')).not.toEqual(first);
    expect(prepared('a').tag).toBe(first.tag);
  });

  it('has no script that an address ends', () => {
    const { text } = referencePage({ openApiUrl: 'https://as.test/</script>x', scriptUrl: 'https://as.test/s.js' });
    expect(text.match(/<\/script>/g)).toHaveLength(2);
    expect(text).toContain('"url":"https://as.test/\\u003c/script>x"');
  });
});
