/**
 * The challenge that a browser signs with a passkey. It has 56 octets, and this server recognizes its own without a
 * stored copy:
 *
 * random 16 ‖ end (seconds since 1970) 8 ‖ HMAC-SHA-256 32 of both, and of the purpose
 */
import { isIP } from 'node:net';
import { base64urlDecode } from './base64url.ts';
import { hmacSha256, sameSecretBytes } from './digest.ts';
import type { Random } from './random.ts';
import type { RootKey, RootKeys } from './root-secret.ts';

declare module './root-secret.ts' {
  interface Purposes {
    passkey: true;
  }
}

const RANDOM_BYTES = 16;
const END_BYTES = 8;
const BODY_BYTES = RANDOM_BYTES + END_BYTES;
const CHALLENGE_BYTES = BODY_BYTES + 32;
export const CHALLENGE_SECONDS = 600;

/** The site that signatures name (WebAuthn §5.4): the site of the issuer. */
export type Site = { readonly id: string; readonly origin: string };
/** @returns null: the issuer has an address instead of a name, and passkeys need a name. */
export function siteOf(issuer: string): Site | null {
  const { hostname, origin } = new URL(issuer);
  return isIP(hostname.replaceAll(/[[\]]/g, '')) === 0 ? { id: hostname, origin } : null;
}

const macOf = (key: RootKey, purpose: string, body: Uint8Array): Buffer =>
  hmacSha256(key.key('passkey'), body, purpose);

/** @param purpose with the browser to which the challenge is bound. @param now milliseconds since 1970 */
export function makeChallenge({ first }: RootKeys, random: Random, purpose: string, now: number): Buffer {
  const end = Buffer.alloc(END_BYTES);
  end.writeBigUInt64BE(BigInt(Math.floor(now / 1000) + CHALLENGE_SECONDS));
  const body = Buffer.concat([random.bytes(RANDOM_BYTES), end]);
  return Buffer.concat([body, macOf(first, purpose, body)]);
}

/** @param challenge base64url. @returns its end. Null: this server did not make it for this purpose. */
export function challengeEndsAt({ byId }: RootKeys, purpose: string, challenge: string): Date | null {
  const bytes = base64urlDecode(challenge);
  if (bytes?.length !== CHALLENGE_BYTES) return null;
  const body = bytes.subarray(0, BODY_BYTES);
  const isOurs = [...byId.values()].some((key) =>
    sameSecretBytes(macOf(key, purpose, body), bytes.subarray(BODY_BYTES)),
  );
  return isOurs ? new Date(Number(body.readBigUInt64BE(RANDOM_BYTES)) * 1000) : null;
}

/**
 * The challenge that a browser claims to have signed. Null: the data is unreadable, or the page was in a frame of
 * another site (WebAuthn §5.8.1, §7.2), which no page of this server allows. The signature is checked afterwards.
 */
export function challengeIn(response: { readonly clientDataJSON: string }): string | null {
  try {
    const said: unknown = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString());
    if (!isRecord(said) || said['crossOrigin'] === true || 'topOrigin' in said) return null;
    return typeof said['challenge'] === 'string' ? said['challenge'] : null;
  } catch {
    return null;
  }
}

export type SentCredential = {
  readonly id: string;
  readonly response: { readonly clientDataJSON: string; readonly userHandle?: string | undefined };
};

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** @param text JSON, as `PublicKeyCredential.toJSON` makes it. @returns null: the text is no credential. */
export function readCredential(text: string): SentCredential | null {
  try {
    const read: unknown = JSON.parse(text);
    if (!isRecord(read) || typeof read['id'] !== 'string' || !isRecord(read['response'])) return null;
    const { clientDataJSON, userHandle } = read['response'];
    if (typeof clientDataJSON !== 'string' || !['string', 'undefined'].includes(typeof userHandle)) return null;
    return read as unknown as SentCredential;
  } catch {
    return null;
  }
}
