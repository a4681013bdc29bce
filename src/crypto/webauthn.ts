/** WebAuthn (Level 3): the library checks the data and signatures of authenticators. */
import {
  type AuthenticationResponseJSON,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
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
      response: sent as unknown as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
    });
    if (!verified || registrationInfo === undefined) return null;
    const { credential, credentialDeviceType } = registrationInfo;
    return {
      credentialId: Buffer.from(credential.id, 'base64url'),
      publicKey: Buffer.from(credential.publicKey),
      counter: credential.counter,
      backupEligible: credentialDeviceType === 'multiDevice',
      transports: credential.transports ?? [],
    };
  } catch {
    return null;
  }
}

/**
 * WebAuthn §7.2, except for the counter, about which the machine of the passkey decides.
 * @returns the signature counter. Null: the signature is not of this key, for this site and challenge, by a verified
 * end-user.
 */
export async function verifiedCounter(
  sent: SentCredential,
  { id, origin }: Site,
  challenge: string,
  publicKey: Uint8Array | null,
): Promise<number | null> {
  if (publicKey === null) return null;
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: sent as unknown as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      credential: { id: sent.id, publicKey: new Uint8Array(publicKey), counter: 0 },
    });
    return verified ? authenticationInfo.newCounter : null;
  } catch {
    return null;
  }
}
