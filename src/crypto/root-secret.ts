/**
 * The root secret is a list: the first entry makes new values, and all entries verify. HKDF (RFC 5869) derives one key
 * per purpose from each entry. An entry's id is derived from the entry itself, so a rotation needs no names.
 */
import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/**
 * What a key is for. A format of this folder declares its purpose beside itself (`declare module`), so that the two cannot differ; here are those of
 * other rooms. What becomes of each after a rotation: src/storage/root-secret-census.ts.
 */
export interface Purposes {
  interaction: true;
  form: true;
  throttle: true;
  idempotency: true;
  console: true;
  'external-sign-in': true;
  'second-factor': true;
  'configured-secret': true;
  mail: true;
}
export type Purpose = keyof Purposes;

/** The list of root secrets is not usable. The message names the entry and the remedy, never a value. */
export class RootSecretError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RootSecretError';
  }
}

export const MIN_ROOT_SECRET_BYTES = 32;

export type RootKey = {
  /** 8 hex digits. */
  readonly id: string;
  readonly key: (purpose: Purpose) => KeyObject;
};

export type RootKeys = {
  /** Used for all new values. */
  readonly first: RootKey;
  readonly byId: ReadonlyMap<string, RootKey>;
};

/**
 * @throws RootSecretError with the position (never the value) of an entry under 32 bytes, or of a first entry that is
 * easy to guess.
 */
export function rootKeys(secrets: readonly string[]): RootKeys {
  const keys = secrets.map((secret, index) => {
    const bytes = Buffer.from(secret);
    if (bytes.length < MIN_ROOT_SECRET_BYTES) {
      throw new RootSecretError(
        `STATEHOUSE_SECRET: entry ${index + 1} has ${bytes.length} bytes; expected at least ${MIN_ROOT_SECRET_BYTES}. ` +
          'Make one with: openssl rand -base64 32',
      );
    }
    // A later entry may be weak, until every value that it made has expired.
    if (index === 0 && isGuessable(secret)) {
      throw new RootSecretError(
        'STATEHOUSE_SECRET: the first entry is no random secret: it has few different characters, or repeats itself. ' +
          'Make one with: openssl rand -base64 32, and keep the old one after it in the list until every value that it made has expired.',
      );
    }
    return rootKey(bytes);
  });
  const [first] = keys;
  if (!first) throw new RootSecretError('STATEHOUSE_SECRET is empty. Make one with: openssl rand -base64 32');
  return { first, byId: new Map(keys.map((key) => [key.id, key])) };
}

/** 32 random octets, in hexadecimal or base64, practically never have fewer different characters. */
const MIN_DIFFERENT = 8;

function isGuessable(secret: string): boolean {
  if (new Set(secret).size < MIN_DIFFERENT) return true;
  // A repeated short text occurs again in its own double, before the end of the text.
  return (secret + secret).indexOf(secret, 1) <= secret.length / 2;
}

function rootKey(secret: Buffer): RootKey {
  const derive = (info: string, size: number) =>
    Buffer.from(hkdfSync('sha256', secret, '', `statehouse/${info}`, size));
  const keys = new Map<Purpose, KeyObject>();
  const key = (purpose: Purpose): KeyObject => {
    const known = keys.get(purpose) ?? createSecretKey(derive(purpose, 32));
    keys.set(purpose, known);
    return known;
  };
  return { id: derive('key-id', 4).toString('hex'), key };
}
