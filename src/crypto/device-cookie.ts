/**
 * The cookie of a trusted device (OWASP, device cookies). It holds an entry for each of the last accounts: its end, a
 * random id, and a MAC over both and the account, which it does not name. The cookie grants no access. It selects the
 * account whose failed sign-ins count for this browser.
 */
import { hmacSha256, sameSecretBytes } from './digest.ts';
import type { Random } from './random.ts';
import type { RootKey, RootKeys } from './root-secret.ts';

declare module './root-secret.ts' {
  interface Purposes {
    device: true;
  }
}

export type KnownDevice = {
  /** Identifies this browser for this account: random, base64url. */
  readonly id: string;
  readonly endsAt: Date;
};

const ENDS_BYTES = 6;
const ID_BYTES = 16;
const MAC_BYTES = 16;
const ENTRY = /^[A-Za-z0-9_-]{51}$/;
const MAX_ENTRIES = 5;
/** This server makes no longer value. */
export const MAX_DEVICE_COOKIE_CHARACTERS = MAX_ENTRIES * 52 - 1;

/**
 * @param account the same text for every spelling of the username. @returns null: the browser is unknown, or known to
 * other accounts only.
 */
export function knownDevice(keys: RootKeys, cookie: string | null, account: string): KnownDevice | null {
  for (const entry of entriesOf(cookie)) {
    const bytes = Buffer.from(entry, 'base64url');
    const said = bytes.subarray(0, ENDS_BYTES + ID_BYTES);
    const mac = bytes.subarray(ENDS_BYTES + ID_BYTES);
    const isOurs = [...keys.byId.values()].some((key) => sameSecretBytes(macOf(key, said, account), mac));
    if (!isOurs) continue;
    return {
      id: said.subarray(ENDS_BYTES).toString('base64url'),
      endsAt: new Date(said.readUIntBE(0, ENDS_BYTES) * 1000),
    };
  }
  return null;
}

/** @returns the cookie with the entry for this account first. The device keeps its id in it. */
export function rememberDevice(
  { keys, random }: { readonly keys: RootKeys; readonly random: Random },
  cookie: string | null,
  account: string,
  endsAt: Date,
): string {
  const known = knownDevice(keys, cookie, account);
  const ends = Buffer.alloc(ENDS_BYTES);
  ends.writeUIntBE(Math.floor(endsAt.getTime() / 1000), 0, ENDS_BYTES);
  const said = Buffer.concat([ends, known ? Buffer.from(known.id, 'base64url') : random.bytes(ID_BYTES)]);
  const entry = Buffer.concat([said, macOf(keys.first, said, account)]).toString('base64url');
  const others = entriesOf(cookie).filter((other) => knownDevice(keys, other, account) === null);
  return [entry, ...others].slice(0, MAX_ENTRIES).join('.');
}

const entriesOf = (cookie: string | null): readonly string[] =>
  cookie === null || cookie.length > MAX_DEVICE_COOKIE_CHARACTERS
    ? []
    : cookie.split('.').filter((entry) => ENTRY.test(entry));

const macOf = (key: RootKey, said: Uint8Array, account: string): Buffer =>
  hmacSha256(key.key('device'), said, account).subarray(0, MAC_BYTES);
