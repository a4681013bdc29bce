/** An end-user of an import as a record again: the opposite of `readImportedUser`, for a server that reads the record. */
import { STANDARD_CLAIMS } from '../oauth/claims.ts';
import type { ImportedPasskey } from './imported-passkey.ts';
import type { ImportedUser } from './imported-user.ts';

export function importRecord(user: ImportedUser): Readonly<Record<string, unknown>> {
  const { username, sub, password, passwordHash, claims, withoutPassword, disabled, createdAt } = user;
  const { identities, totpSecrets, passkeys, recoveryCodes } = user;
  const [standard, custom] = [true, false].map((isStandard) =>
    Object.fromEntries(Object.entries(claims).filter(([name]) => STANDARD_CLAIMS.includes(name) === isStandard)),
  );
  return {
    ...standard,
    username,
    ...(sub !== null && { sub }),
    ...(password !== null && { password }),
    ...(passwordHash !== null && { password_hash: passwordHash }),
    claims: custom,
    ...(withoutPassword && { without_password: true }),
    ...(disabled && { disabled: true }),
    ...(createdAt !== null && { created_at: createdAt.toISOString() }),
    identities: identities.map(({ subject, ...rest }) => ({ ...rest, sub: subject })),
    totp: totpSecrets,
    passkeys: passkeys.map(passkeyRecord),
    recovery_codes: recoveryCodes.map((digest) => `$sha512$${digest.toString('base64')}`),
  };
}

const passkeyRecord = (passkey: ImportedPasskey) => ({
  credential_id: passkey.credentialId.toString('base64url'),
  public_key: passkey.publicKey.toString('base64url'),
  user_handle: passkey.userHandle.toString('base64url'),
  counter: passkey.counter,
  transports: passkey.transports,
  backup_eligible: passkey.backupEligible,
  second_factor_only: passkey.isSecondFactorOnly,
  name: passkey.name,
  created_at: passkey.createdAt?.toISOString() ?? null,
  rp_id: passkey.rpId,
});
