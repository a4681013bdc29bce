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

/**
 * `name`: the same text for every spelling of the username. `userId`: of the end-user, since a later account may have the username of a
 * deleted one. Null: the account has not been looked up, so a device of any account with this username is known.
 */
export type DeviceAccount = { readonly name: string; readonly userId: string | null };

const ENDS_BYTES = 6;
const ID_BYTES = 16;
/** At the end of the id. It derives from the rest and from the end-user. */
const USER_BYTES = 4;
const MAC_BYTES = 16;
const ENTRY = /^[A-Za-z0-9_-]{51}$/;
const MAX_ENTRIES = 5;
/** This server makes no longer value. */
export const MAX_DEVICE_COOKIE_CHARACTERS = MAX_ENTRIES * 52 - 1;

/** @returns null: the browser is unknown, or known to other accounts only. */
export function knownDevice(keys: RootKeys, cookie: string | null, account: DeviceAccount): KnownDevice | null {
  const { name, userId } = account;
  for (const entry of entriesOf(cookie)) {
    const bytes = Buffer.from(entry, 'base64url');
    const said = bytes.subarray(0, ENDS_BYTES + ID_BYTES);
    const mac = bytes.subarray(ENDS_BYTES + ID_BYTES);
    const isOurs = [...keys.byId.values()].some((key) => sameSecretBytes(macOf(key, said, name), mac));
    if (!isOurs) continue;
    const id = said.subarray(ENDS_BYTES);
    if (userId !== null && ![...keys.byId.values()].some((key) => isIdOf(key, id, userId))) return null;
    return {
      id: id.toString('base64url'),
      endsAt: new Date(said.readUIntBE(0, ENDS_BYTES) * 1000),
    };
  }
  return null;
}

/** @returns the cookie with the entry for this account first. The device keeps its id in it, until the root secret changes. */
export function rememberDevice(
  { keys, random }: { readonly keys: RootKeys; readonly random: Random },
  cookie: string | null,
  { name, userId }: { readonly name: string; readonly userId: string },
  endsAt: Date,
): string {
  const known = knownDevice(keys, cookie, { name, userId: null });
  const before = known && Buffer.from(known.id, 'base64url');
  const ends = Buffer.alloc(ENDS_BYTES);
  ends.writeUIntBE(Math.floor(endsAt.getTime() / 1000), 0, ENDS_BYTES);
  const isTheirs = before !== null && isIdOf(keys.first, before, userId);
  const said = Buffer.concat([ends, isTheirs ? before : newId(keys.first, random, userId)]);
  const entry = Buffer.concat([said, macOf(keys.first, said, name)]).toString('base64url');
  const others = entriesOf(cookie).filter((other) => knownDevice(keys, other, { name, userId: null }) === null);
  return [entry, ...others].slice(0, MAX_ENTRIES).join('.');
}

const partOf = (key: RootKey, drawn: Uint8Array, userId: string): Buffer =>
  hmacSha256(key.key('device'), 'end-user\n', drawn, userId).subarray(0, USER_BYTES);

function newId(key: RootKey, random: Random, userId: string): Buffer {
  const drawn = random.bytes(ID_BYTES - USER_BYTES);
  return Buffer.concat([drawn, partOf(key, drawn, userId)]);
}

const isIdOf = (key: RootKey, id: Buffer, userId: string): boolean =>
  sameSecretBytes(partOf(key, id.subarray(0, -USER_BYTES), userId), id.subarray(-USER_BYTES));

const entriesOf = (cookie: string | null): readonly string[] =>
  cookie === null || cookie.length > MAX_DEVICE_COOKIE_CHARACTERS
    ? []
    : cookie.split('.').filter((entry) => ENTRY.test(entry));

const macOf = (key: RootKey, said: Uint8Array, name: string): Buffer =>
  hmacSha256(key.key('device'), said, name).subarray(0, MAC_BYTES);
