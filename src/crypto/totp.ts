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

/** For the QR code. */
export const totpUri = (secret: string, issuer: string, label: string): string =>
  totpOf(secret, { issuer, label }).toString();
