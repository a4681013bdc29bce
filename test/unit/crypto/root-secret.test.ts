import { fc, test as propertyTest } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { MIN_ROOT_SECRET_BYTES, type Purpose, rootKeys } from '../../../src/crypto/root-secret.ts';
import { rootSecrets } from '../../support/arbitraries.ts';

const FIRST = 'the first root secret, of at least 32 bytes';
const OTHER = 'the other root secret, of at least 32 bytes';
const PURPOSES: Purpose[] = ['refresh-token', 'authorization-code', 'client-secret', 'signing-key', 'form', 'throttle'];

const messageOf = (make: () => unknown): string => {
  try {
    make();
  } catch (error) {
    return String(error);
  }
  return 'no error';
};

describe('an entry that is too short', () => {
  propertyTest.prop([
    fc.string({ minLength: 4, maxLength: 7, unit: fc.constantFrom('Q', 'X', 'Z', '7', '%') }),
    fc.nat({ max: 2 }),
  ])('is refused by its place and its length, and never printed', (short, place) => {
    const list = [FIRST, OTHER].toSpliced(place, 0, short);
    const message = messageOf(() => rootKeys(list));
    expect(message).toContain(`entry ${place + 1} has ${short.length} bytes`);
    expect(message).not.toContain(short);
  });

  test('is counted in bytes, not in letters', () => {
    expect(() => rootKeys(['x'.repeat(MIN_ROOT_SECRET_BYTES - 1)])).toThrow(/has 31 bytes/);
    expect(() => rootKeys(['äbcdefghijklmnopqrstuvwxyz12345'])).not.toThrow();
    expect(() => rootKeys([FIRST, 'x'.repeat(MIN_ROOT_SECRET_BYTES)])).not.toThrow();
  });

  test('an empty list is rejected with the command that makes a secret', () => {
    expect(messageOf(() => rootKeys([]))).toBe(
      'RootSecretError: STATEHOUSE_SECRET is empty. Make one with: openssl rand -base64 32',
    );
    expect(messageOf(() => rootKeys(['']))).toBe(
      'RootSecretError: STATEHOUSE_SECRET: entry 1 has 0 bytes; expected at least 32. Make one with: openssl rand -base64 32',
    );
  });
});

describe('an entry that is not random', () => {
  const guessable = ['x'.repeat(32), 'abcdefg'.repeat(5), '0123456789abcdef'.repeat(3), 'correct horse '.repeat(4)];
  test.each(guessable)('is rejected as the first, and not printed: %s', (secret) => {
    const message = messageOf(() => rootKeys([secret, FIRST]));
    expect(message).toBe(
      'RootSecretError: STATEHOUSE_SECRET: the first entry is no random secret: it has few different characters, or repeats itself. ' +
        'Make one with: openssl rand -base64 32, and keep the old one after it in the list until every value that it made has expired.',
    );
    expect(message).not.toContain(secret);
  });

  test.each(guessable)('may follow another, so that its credentials can end: %s', (secret) => {
    expect(rootKeys([FIRST, secret]).byId.size).toBe(2);
  });

  propertyTest.prop([fc.uint8Array({ minLength: 32, maxLength: 32 }).filter((bytes) => new Set(bytes).size > 20)])(
    'is none of those that openssl makes',
    (bytes) => {
      for (const encoding of ['base64', 'base64url', 'hex'] as const) {
        expect(() => rootKeys([Buffer.from(bytes).toString(encoding)])).not.toThrow();
      }
    },
  );
});

describe('a list of secrets', () => {
  test('creates with the first, and accepts all', () => {
    const both = rootKeys([FIRST, OTHER]);
    expect(both.first.id).toBe(rootKeys([FIRST]).first.id);
    expect([...both.byId.keys()]).toEqual([rootKeys([FIRST]).first.id, rootKeys([OTHER]).first.id]);
  });

  propertyTest.prop([rootSecrets])('derives the same id and keys each time', (secret) => {
    const [one, other] = [rootKeys([secret]).first, rootKeys([secret]).first];
    expect(one.id).toBe(other.id);
    expect(one.id).toMatch(/^[0-9a-f]{8}$/);
    for (const purpose of PURPOSES) expect(one.key(purpose).export()).toEqual(other.key(purpose).export());
  });

  test('derives a key of 256 bits for each purpose', () => {
    const { first, byId } = rootKeys([FIRST, OTHER]);
    const derived = [...byId.values()].flatMap((key) =>
      PURPOSES.map((purpose) => key.key(purpose).export().toString('hex')),
    );
    expect(new Set(derived).size).toBe(2 * PURPOSES.length);
    for (const key of derived) expect(key).toHaveLength(64);
    expect(derived.some((key) => key.startsWith(first.id))).toBe(false);
  });
});
