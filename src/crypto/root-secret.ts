/**
 * The root secret is a list: the first entry makes new values, all entries verify. One key per purpose is derived from each by HKDF (RFC 5869),
 * and an entry's id is derived from the entry itself, so that rotating needs no names.
 */
import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

export const PURPOSES = [
  'refresh-token',
  'authorization-code',
  'client-secret',
  'signing-key',
  'interaction',
  'form',
  'throttle',
  'idempotency',
  'console',
  'external-sign-in',
  'device',
  'second-factor',
  'recovery-code',
  'passkey',
  'row',
  'ledger-seal',
  'account',
  'kept-key',
  'mail',
] as const;
export type Purpose = (typeof PURPOSES)[number];

/** Its values can only be made again by those who hold them, so the keys that verify them outlive their root secrets (kept-key.ts). */
export const KEPT_PURPOSE = 'recovery-code' satisfies Purpose;

/** The list of root secrets cannot be used. The message says which entry and what to do, never a value. */
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

/** @throws RootSecretError naming the place in the list (never the value) of an entry under 32 bytes, or of a first entry that could be guessed. */
export function rootKeys(secrets: readonly string[]): RootKeys {
  const keys = secrets.map((secret, index) => {
    const bytes = Buffer.from(secret);
    if (bytes.length < MIN_ROOT_SECRET_BYTES) {
      throw new RootSecretError(
        `STATEHOUSE_SECRET: entry ${index + 1} has ${bytes.length} bytes; at least ${MIN_ROOT_SECRET_BYTES} are needed. ` +
          'Make one with: openssl rand -base64 32',
      );
    }
    // Behind the first it may stay until all that it made is over.
    if (index === 0 && isGuessable(secret)) {
      throw new RootSecretError(
        'STATEHOUSE_SECRET: the first entry is no random secret: it has few different characters, or repeats itself. ' +
          'Make one with: openssl rand -base64 32, and keep the old one behind it until what it made is over.',
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
  // A short text that is repeated is found again in its own double, before its end.
  return (secret + secret).indexOf(secret, 1) <= secret.length / 2;
}

function rootKey(secret: Buffer): RootKey {
  const derive = (info: string, size: number) =>
    Buffer.from(hkdfSync('sha256', secret, '', `statehouse/${info}`, size));
  const keys = new Map(PURPOSES.map((purpose) => [purpose, createSecretKey(derive(purpose, 32))] as const));
  return { id: derive('key-id', 4).toString('hex'), key: (purpose) => keys.get(purpose) as KeyObject };
}
