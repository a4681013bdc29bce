/** Reads a credential, and finds its grant. The server never stores or shows the credential. */
import { readAccessToken } from '../crypto/access-token.ts';
import { readAuthorizationCode } from '../crypto/authorization-code.ts';
import { readRefreshToken } from '../crypto/refresh-token.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import { type KeyRing, publicKeyOf } from '../crypto/signing-keys.ts';
import { grantIdIn } from './grant-id.ts';

export type GivenCredential =
  | { readonly kind: 'grant_id'; readonly grantId: string }
  | {
      readonly kind: 'refresh_token';
      readonly grantId: string;
      readonly generation: bigint;
      readonly nonce: Uint8Array;
    }
  /** `secretHash`: SHA-256 of the code's secret half. */
  | { readonly kind: 'authorization_code'; readonly grantId: string; readonly secretHash: Uint8Array }
  | { readonly kind: 'access_token'; readonly grantId: string; readonly expiresAt: Date }
  /** Client credentials: the client's own token, without a grant. */
  | {
      readonly kind: 'own_token';
      readonly clientId: string;
      /** The client's epoch when the token was issued. */
      readonly clientEpoch: bigint;
      readonly jti: string;
      readonly expiresAt: Date;
    }
  | { readonly kind: 'nothing'; readonly why: Untrusted };

export type Untrusted =
  | `refresh_token_${'malformed' | 'forged' | 'unknown_key'}`
  | 'authorization_code_malformed'
  | `access_token_${'malformed' | 'forged' | 'unknown_key' | 'other_typ' | 'other_issuer'}`
  | 'unknown_shape';

export type Keys = {
  readonly keys: RootKeys;
  readonly keyRing: KeyRing;
  readonly issuer: string;
};

export async function readCredential({ keys, keyRing, issuer }: Keys, text: string): Promise<GivenCredential> {
  const grantId = grantIdIn(text);
  if (grantId !== null) return { kind: 'grant_id', grantId };
  if (text.startsWith('sh_rt_')) {
    const reading = readRefreshToken(keys, text);
    return reading.kind === 'authentic'
      ? { ...reading, kind: 'refresh_token' }
      : { kind: 'nothing', why: `refresh_token_${reading.kind}` };
  }
  if (text.startsWith('sh_ac_')) {
    const reading = readAuthorizationCode(text);
    return reading
      ? { ...reading, kind: 'authorization_code' }
      : { kind: 'nothing', why: 'authorization_code_malformed' };
  }
  if (!/^[\w-]+\.[\w-]+\.[\w-]*$/.test(text)) return { kind: 'nothing', why: 'unknown_shape' };
  const reading = await readAccessToken(keyRing, issuer, text);
  if (reading.kind !== 'authentic') return { kind: 'nothing', why: `access_token_${reading.kind}` };
  const { client_id: clientId, jti, exp } = reading.claims;
  const expiresAt = new Date(exp * 1000);
  return 'grantId' in reading.origin
    ? { kind: 'access_token', grantId: reading.origin.grantId, expiresAt }
    : { kind: 'own_token', clientId, clientEpoch: reading.origin.clientEpoch, jti, expiresAt };
}

type StoredKey = {
  readonly kid: string;
  readonly alg: NonNullable<ReturnType<KeyRing['verifierOf']>>['alg'];
  readonly publicJwk: Readonly<Record<string, unknown>>;
  readonly state: string;
};

/** For checking signatures only. */
export function verifyingKeys(stored: readonly StoredKey[]): KeyRing {
  const accepted = stored.filter(({ state }) => state !== 'retired');
  const verifiers = new Map(
    accepted.map(({ kid, alg, publicJwk }) => [kid, { alg, publicKey: publicKeyOf(publicJwk) }]),
  );
  return {
    signerOf: () => {
      throw new Error('this key ring cannot sign');
    },
    published: () => accepted.map(({ publicJwk }) => publicJwk),
    verifierOf: (kid) => verifiers.get(kid) ?? null,
    lookAgain: async () => {},
  };
}
