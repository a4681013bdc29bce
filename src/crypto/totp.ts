/** Codes of authenticator apps (RFC 6238): SHA-1, six digits, 30 seconds. Every app supports this. */
import { Secret, TOTP } from 'otpauth';

const STEP_SECONDS = 30;
/** RFC 6238 §5.2: the clocks of server and phone may differ by a step. */
const STEPS_APART = 1;
/** RFC 4226 §4 R6. */
export const TOTP_SECRET_BYTES = 20;

/** Base32, as apps accept it when a user types it. */
export const totpSecretText = (bytes: Uint8Array): string =>
  new Secret({ buffer: new Uint8Array(bytes).buffer }).base32;

/** A secret of another system: base32 without padding, 10 to 128 bytes. */
export const isTotpSecret = (text: string): boolean => /^[A-Z2-7]{16,205}$/.test(text);

const totpOf = (secret: string, names: { readonly issuer?: string; readonly label?: string } = {}): TOTP =>
  new TOTP({ ...names, secret, algorithm: 'SHA1', digits: 6, period: STEP_SECONDS });

/**
 * @returns the time step (RFC 6238 §4.2) of this code: the current step or an adjacent one. Null: the code belongs to
 * none of them.
 */
export function totpStepOf(secret: string, code: string, now: Date): number | null {
  if (!/^\d{6}$/.test(code)) return null;
  const delta = totpOf(secret).validate({ token: code, timestamp: now.getTime(), window: STEPS_APART });
  return delta === null ? null : Math.floor(now.getTime() / 1000 / STEP_SECONDS) + delta;
}

/** The code of the step before the current step: accepted now, and the app shows a later one. */
export const earlierTotp = (secret: string, now: Date): string =>
  totpOf(secret).generate({ timestamp: now.getTime() - STEP_SECONDS * 1000 });

/** For the QR code. */
export const totpUri = (secret: string, issuer: string, label: string): string =>
  totpOf(secret, { issuer, label }).toString();
