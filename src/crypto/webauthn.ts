/** WebAuthn (Level 3): the library checks the data and signatures of authenticators. */
import { createPublicKey, type JsonWebKey } from 'node:crypto';
import {
  type AuthenticationResponseJSON,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import {
  cose,
  decodeAttestationObject,
  decodeCredentialPublicKey,
  isoBase64URL,
  isoCBOR,
} from '@simplewebauthn/server/helpers';
import { CHALLENGE_SECONDS, type SentCredential, type Site } from './passkey-challenge.ts';

export type RegistrationAsked = {
  readonly site: Site;
  readonly challenge: Uint8Array;
  /** The `sub`, in its text form. It names no person. */
  readonly userId: string;
  readonly username: string;
  /** The registered passkeys. Their authenticators make no second one. */
  readonly known: readonly { readonly id: string }[];
};

/** Discoverable, with user verification (§5.4.4), and without attestation: the product does not matter here. */
export const registrationOptions = ({
  site,
  challenge,
  userId,
  username,
  known,
}: RegistrationAsked): Promise<PublicKeyCredentialCreationOptionsJSON> =>
  generateRegistrationOptions({
    rpName: site.id,
    rpID: site.id,
    userID: new Uint8Array(Buffer.from(userId)),
    userName: username,
    userDisplayName: username,
    challenge: new Uint8Array(challenge),
    attestationType: 'none',
    timeout: CHALLENGE_SECONDS * 1000,
    excludeCredentials: known.map(({ id }) => ({ id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });

export type VerifiedRegistration = {
  readonly credentialId: Buffer;
  readonly publicKey: Buffer;
  readonly counter: number;
  readonly backupEligible: boolean;
  readonly transports: readonly string[];
};

/** WebAuthn §7.1. @returns null: the response does not match the request. */
export async function verifiedRegistration(
  sent: SentCredential,
  { id, origin }: Site,
  challenge: string,
): Promise<VerifiedRegistration | null> {
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: withoutAttestation(sent as unknown as RegistrationResponseJSON),
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
    });
    if (!verified || registrationInfo === undefined) return null;
    const { credential, credentialDeviceType } = registrationInfo;
    if (isExpensive(decodeCredentialPublicKey(credential.publicKey))) return null;
    return {
      credentialId: Buffer.from(credential.id, 'base64url'),
      publicKey: Buffer.from(credential.publicKey),
      counter: credential.counter,
      backupEligible: credentialDeviceType === 'multiDevice',
      transports: transportsIn(credential.transports),
    };
  } catch {
    return null;
  }
}

/**
 * The options ask for no attestation (§5.4.7), and nothing here relies on one. Of a statement with certificates, the library fetches the
 * revocation lists, from the URLs that the sender wrote into them.
 */
function withoutAttestation(sent: RegistrationResponseJSON): RegistrationResponseJSON {
  const object = decodeAttestationObject(isoBase64URL.toBuffer(sent.response.attestationObject));
  const bare = new Map<string, CBORType>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', object.get('authData')],
  ]);
  const attestationObject = isoBase64URL.fromBuffer(isoCBOR.encode(bare));
  return { ...sent, response: { ...sent.response, attestationObject } };
}
type CBORType = Parameters<typeof isoCBOR.encode>[0];

const MAX_TRANSPORTS = 10;

/** Hints for a later sign-in (§5.8.4), which the page writes as it likes. */
const transportsIn = (sent: unknown): readonly string[] =>
  Array.isArray(sent)
    ? sent
        .filter((one): one is string => typeof one === 'string' && /^[a-z-]{1,20}$/.test(one))
        .slice(0, MAX_TRANSPORTS)
    : [];

/**
 * WebAuthn §7.2, except for the counter, about which the machine of the passkey decides.
 * @param isSecondFactorOnly an end-user who is present suffices. Otherwise the authenticator has to verify the end-user. @returns the
 * signature counter. Null: the signature is not of this key, for this site and challenge, by such an end-user.
 */
export async function verifiedCounter(
  sent: SentCredential,
  {
    site: { id, origin },
    challenge,
    publicKey,
    isSecondFactorOnly,
  }: {
    readonly site: Site;
    readonly challenge: string;
    readonly publicKey: Uint8Array | null;
    readonly isSecondFactorOnly: boolean;
  },
): Promise<number | null> {
  if (publicKey === null) return null;
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: sent as unknown as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: !isSecondFactorOnly,
      credential: { id: sent.id, publicKey: new Uint8Array(publicKey), counter: 0 },
    });
    return verified ? authenticationInfo.newCounter : null;
  } catch {
    return null;
  }
}

/** Those whose signatures the library verifies, without SHA-1. */
const ALGORITHMS: readonly number[] = [-7, -8, -35, -36, -37, -38, -39, -257, -258, -259];
const CURVES: ReadonlyMap<number, string> = new Map([
  [cose.COSECRV.P256, 'P-256'],
  [cose.COSECRV.P384, 'P-384'],
  [cose.COSECRV.P521, 'P-521'],
]);

/** @param publicKey COSE (RFC 9052 §7). @returns its algorithm. Null: it is no public key whose signatures this server can verify. */
export function algorithmOfKey(publicKey: Uint8Array): number | null {
  try {
    const key = decodeCredentialPublicKey(new Uint8Array(publicKey));
    const algorithm = key.get(cose.COSEKEYS.alg);
    if (algorithm === undefined || !ALGORITHMS.includes(algorithm) || isExpensive(key)) return null;
    // Throws for a point that is not on the curve.
    createPublicKey({ format: 'jwk', key: jwkOf(key) });
    return algorithm;
  } catch {
    return null;
  }
}

/** In bytes: 4096 and 32 bits. A sender must not choose how long a check takes, as for proofs (src/guard/dpop-proof.ts). */
const MAX_RSA = { modulus: 512, exponent: 4 } as const;

function isExpensive(key: cose.COSEPublicKey): boolean {
  if (!cose.isCOSEPublicKeyRSA(key)) return false;
  const sizeOf = (bytes: Uint8Array | undefined) => bytes?.length ?? 0;
  return sizeOf(key.get(cose.COSEKEYS.n)) > MAX_RSA.modulus || sizeOf(key.get(cose.COSEKEYS.e)) > MAX_RSA.exponent;
}

function jwkOf(key: cose.COSEPublicKey): JsonWebKey {
  const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString('base64url');
  if (cose.isCOSEPublicKeyRSA(key))
    return { kty: 'RSA', n: text(key.get(cose.COSEKEYS.n)), e: text(key.get(cose.COSEKEYS.e)) };
  if (cose.isCOSEPublicKeyEC2(key)) {
    const crv = CURVES.get(key.get(cose.COSEKEYS.crv) ?? 0) ?? '';
    return { kty: 'EC', crv, x: text(key.get(cose.COSEKEYS.x)), y: text(key.get(cose.COSEKEYS.y)) };
  }
  if (!cose.isCOSEPublicKeyOKP(key)) throw new TypeError('The type of the key is unknown.');
  return { kty: 'OKP', crv: 'Ed25519', x: text(key.get(cose.COSEKEYS.x)) };
}
