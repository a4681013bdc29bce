/** A passkey, or a security key, that an end-user brings from another system (WebAuthn Level 3 §4, "credential record"). */
import { z } from 'zod';
import { expecting } from '../../policies/expectations.ts';
import { base64urlDecode } from '../crypto/base64url.ts';
import { siteOf } from '../crypto/passkey-challenge.ts';
import { algorithmOfKey } from '../crypto/webauthn.ts';
import { importedInstant } from './imported-instant.ts';

export type ImportedPasskey = {
  readonly credentialId: Buffer;
  /** COSE (RFC 9052 §7). */
  readonly publicKey: Buffer;
  readonly userHandle: Buffer;
  readonly counter: number;
  readonly transports: readonly string[];
  readonly backupEligible: boolean;
  /** It stands behind another way to sign in, and never signs in by itself. */
  readonly isSecondFactorOnly: boolean;
  readonly name: string | null;
  /** Null: now. */
  readonly createdAt: Date | null;
  readonly rpId: string;
};

/** The host name of the server, for which passkeys have to be made. Null: the issuer has an address instead of a name. */
export const passkeyHost = (issuer: string): string | null => siteOf(issuer)?.id ?? null;

/** WebAuthn §4, §5.4: an authenticator has no longer ones. */
const MAX_CREDENTIAL_ID_BYTES = 1023;
const MAX_HANDLE_BYTES = 64;
const MAX_KEY_BYTES = 2048;
const MAX_COUNTER = 2 ** 32 - 1;

const bytes = (min: number, max: number) =>
  expecting(
    z.string().refine((value) => {
      const length = base64urlDecode(value)?.length ?? 0;
      return length >= min && length <= max;
    }),
    `${min} to ${max} bytes in base64url without padding`,
  );

const isKey = (value: string): boolean => {
  const key = base64urlDecode(value);
  return key !== null && key.length <= MAX_KEY_BYTES && algorithmOfKey(key) !== null;
};
const KEY = 'a COSE public key of ES256, ES384, ES512, EdDSA, RS256 or PS256, in base64url without padding';

/** Never guessed: an account asks for its passkey after the password, and one of another host name would lock its owner out. */
const hostName = expecting(z.string().regex(/^[a-z0-9.-]{1,253}$/), 'a host name');

const schema = z
  .strictObject({
    credential_id: bytes(1, MAX_CREDENTIAL_ID_BYTES),
    public_key: expecting(z.string().refine(isKey), KEY),
    user_handle: bytes(1, MAX_HANDLE_BYTES),
    algorithm: z.int().optional(),
    counter: expecting(z.int().min(0).max(MAX_COUNTER), `a number from 0 to ${MAX_COUNTER}`).optional(),
    transports: expecting(z.array(z.string().regex(/^[a-z-]{1,20}$/)).max(10), 'names such as "internal"').optional(),
    backup_eligible: z.boolean().optional(),
    backup_state: z.boolean().optional(),
    discoverable: z.boolean().optional(),
    user_verified: z.boolean().optional(),
    second_factor_only: z.boolean().optional(),
    name: expecting(z.string().max(200), 'at most 200 characters').nullish(),
    created_at: importedInstant.nullish(),
    rp_id: hostName,
  })
  .refine(({ public_key, algorithm }) => algorithm === undefined || algorithm === algorithmIn(public_key), {
    path: ['algorithm'],
    error: 'the algorithm of the public key',
  });

const algorithmIn = (key: string): number | null => algorithmOfKey(Buffer.from(key, 'base64url'));

export const importedPasskeys = (max: number) => expecting(z.array(schema).max(max), `a list of at most ${max}`);

/** Without a fact the careful reading counts: synced, so no key of one piece of hardware. */
export function readPasskey(sent: z.output<typeof schema>): ImportedPasskey {
  const { name, counter = 0, transports = [], created_at } = sent;
  return {
    credentialId: Buffer.from(sent.credential_id, 'base64url'),
    publicKey: Buffer.from(sent.public_key, 'base64url'),
    userHandle: Buffer.from(sent.user_handle, 'base64url'),
    counter,
    transports,
    backupEligible: sent.backup_eligible ?? true,
    // A sign-in asks for discoverable ones. One that never verified its owner is one factor.
    isSecondFactorOnly: sent.second_factor_only === true || sent.discoverable === false || sent.user_verified === false,
    name: name ?? null,
    rpId: sent.rp_id,
    createdAt: created_at == null ? null : new Date(created_at),
  };
}
