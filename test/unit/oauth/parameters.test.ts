/** Reading parameters: as before, in time that grows with the length alone, and of a bounded number. */
import { fc, test as propertyTest } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { asQuery, decode, MAX_PARAMETERS, parseParameters } from '../../../src/oauth/parameters.ts';

const KNOWN = ['client_id', 'scope', 'resource', 'state'] as const;

/** The values of the parameters, read in the simplest way there is. */
function readSimply(encoded: string) {
  const read = encoded
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', ...rest] = pair.split('=');
      return { name: decode(name), value: /[^\0-\x7f]/.test(pair) ? null : decode(rest.join('=')) };
    });
  return KNOWN.map((name) => {
    const all = read.filter((one) => one.name === name);
    const isWrong = all.some(({ value }) => value === null) || (name !== 'resource' && all.length > 1);
    return { name, isWrong, values: isWrong ? [] : all.map(({ value }) => value).filter((value) => value !== '') };
  });
}

const words = fc.oneof(
  fc.constantFrom(...KNOWN, 'unknown', '', '%', '%ff', 'a+b', '%20', 'é', '__proto__'),
  fc.string({ maxLength: 8 }).map((text) => text.replaceAll('\0', '')),
);
const pairs = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constantFrom(...KNOWN), words).map(([name, value]) => `${name}=${value}`) },
  { weight: 1, arbitrary: fc.tuple(words, words).map(([name, value]) => `${name}=${value}`) },
  { weight: 1, arbitrary: words },
);

describe('parameters', () => {
  propertyTest.prop([fc.array(pairs, { maxLength: 12 })])('are read as the standards want it', (all) => {
    const encoded = all.join('&');
    fc.pre(!encoded.includes('%00'));
    const { problem, parameters } = parseParameters(encoded, KNOWN);
    const expected = readSimply(encoded);
    for (const { name, values } of expected) {
      expect(parameters.getAll(name)).toEqual(values);
      expect(parameters.get(name)).toBe(values[0] ?? null);
    }
    expect(problem !== null).toBe(expected.some(({ isWrong }) => isWrong));
  });

  it('keep repeated resources, in order, and serialize them as a query', () => {
    const all = Array.from({ length: MAX_PARAMETERS }, (_, n) => `r${n}`);
    const { problem, parameters } = parseParameters(all.map((one) => `resource=${one}`).join('&'), KNOWN);
    expect(problem).toBeNull();
    expect(parameters.getAll('resource')).toEqual(all);
    expect(asQuery(parameters, KNOWN)).toBe(all.map((one) => `resource=${one}`).join('&'));
  });

  it.each([
    ['resource=a', 'a known parameter that may be repeated'],
    ['x=a', 'an unknown parameter'],
    ['x', 'a parameter without a value'],
  ])('report more than the maximum as a problem, and read no parameter then: %s (%s)', (pair) => {
    const many = (count: number) => `client_id=c&${Array.from({ length: count - 1 }, () => pair).join('&')}`;
    expect(parseParameters(many(MAX_PARAMETERS), KNOWN).parameters.get('client_id')).toBe('c');
    const { problem, parameters } = parseParameters(many(MAX_PARAMETERS + 1), KNOWN);
    expect(problem).toEqual({
      reason: 'too_many_parameters',
      parameter: null,
      detail: 'has more than 100 parameters',
    });
    expect(parameters.get('client_id')).toBeNull();
    expect(parameters.getAll('resource')).toEqual([]);
  });

  it('ignore empty pairs', () => {
    const { problem, parameters } = parseParameters(`${'&'.repeat(5000)}state=s${'&'.repeat(5000)}`, KNOWN);
    expect([problem, parameters.get('state')]).toEqual([null, 's']);
  });

  it.each([
    ['state', 4096],
    ['redirect_uri', 2048],
    ['post_logout_redirect_uri', 2048],
    ['scope', 4096],
    ['resource', 512],
    ['id_token_hint', 8192],
    ['token', 16_384],
    ['request', 12_288],
    ['client_id', 1024],
  ])('limit %s to %i characters', (name, most) => {
    expect(parseParameters(`${name}=${'x'.repeat(most)}`, [name]).problem).toBeNull();
    const { problem, parameters } = parseParameters(`${name}=${'x'.repeat(most + 1)}`, [name]);
    expect(problem).toEqual({
      reason: 'malformed_parameter',
      parameter: name,
      detail: `is longer than ${most} characters`,
    });
    expect(parameters.get(name)).toBeNull();
  });

  it.each([
    ['state=a%00', 'malformed_parameter', 'state', 'has the character U+0000'],
    ['state=%', 'malformed_parameter', 'state', 'is not percent-encoded UTF-8'],
    ['state=%ff', 'malformed_parameter', 'state', 'is not percent-encoded UTF-8'],
    ['state=\u0080', 'malformed_parameter', 'state', 'is not percent-encoded UTF-8'],
    ['state=\uffff', 'malformed_parameter', 'state', 'is not percent-encoded UTF-8'],
    ['state=a&state=b', 'repeated_parameter', 'state', 'is repeated'],
    ['state=a&state=a', 'repeated_parameter', 'state', 'is repeated'],
    // Repetition without a value still counts.
    ['state&state=', 'repeated_parameter', 'state', 'is repeated'],
    // Repetition is reported first: the values of such a request have no effect.
    ['scope=%&state=a&state=b', 'repeated_parameter', 'state', 'is repeated'],
    ['scope=%&state=%00', 'malformed_parameter', 'scope', 'is not percent-encoded UTF-8'],
  ])('%j is a problem', (encoded, reason, parameter, detail) => {
    const { problem, parameters } = parseParameters(`client_id=c&${encoded}`, KNOWN);
    expect(problem).toEqual({ reason, parameter, detail });
    // The rest can be read, to send the error to the client.
    expect([parameters.get('client_id'), parameters.get('state'), parameters.getAll('state')]).toEqual(['c', null, []]);
  });

  it.each([
    ['state=a=b', 'a=b'],
    ['state=a+b%20c%2B', 'a b c+'],
    ['st%61te=a', 'a'],
    ['state=%C3%BC', 'ü'],
    ['state=\x7f', '\x7f'],
    ['state=', null],
    ['state', null],
    ['=a', null],
    ['State=a', null],
    ['x=%&y=%00&x=é&y', null],
    ['%=a', null],
  ])('%j is no problem', (encoded, state) => {
    const { problem, parameters } = parseParameters(encoded, KNOWN);
    expect([problem, parameters.get('state'), parameters.getAll('state')]).toEqual([
      null,
      state,
      state === null ? [] : [state],
    ]);
  });

  it('copy no value again for each repetition', () => {
    // A list that is copied for each value reads n²/2 elements; the values themselves are read once here.
    let reads = 0;
    const iterator = Array.prototype[Symbol.iterator];
    const counting: typeof iterator = function* (this: unknown[]) {
      for (let at = 0; at < this.length; at++) {
        reads++;
        yield this[at];
      }
    } as never;
    Array.prototype[Symbol.iterator] = counting;
    try {
      parseParameters(Array.from({ length: MAX_PARAMETERS }, () => 'resource=a').join('&'), KNOWN);
    } finally {
      Array.prototype[Symbol.iterator] = iterator;
    }
    expect(reads).toBeGreaterThan(0);
    expect(reads).toBeLessThan(4 * MAX_PARAMETERS);
  });
});
