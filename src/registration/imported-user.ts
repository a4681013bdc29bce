/**
 * The record of an end-user from another system: the members of `user-record.ts`, and the facts that only an import brings. These are
 * linked identities, factors, the date of the account, whether it is disabled, and that it has no password.
 */
import { z } from 'zod';
import { expecting, expectingSecret } from '../../policies/expectations.ts';
import { isPlainText } from '../../policies/plain-text.ts';
import type { RecordProblem } from '../config/problem.ts';
import { type RawSecret, rawSecret } from '../crypto/secret-types.ts';
import { isTotpSecret } from '../crypto/totp.ts';
import type { ExternalIdentity } from '../lifecycles/linked-identity/entity.ts';
import { MAX_PASSKEYS } from '../lifecycles/passkey/entity.ts';
import { importedInstant } from './imported-instant.ts';
import { type ImportedPasskey, importedPasskeys, readPasskey } from './imported-passkey.ts';
import { isJsonObject, problem, type Reading, recordProblems, withoutNulls } from './record-problem.ts';
import { readUserRecord, type UserRecord } from './user-record.ts';

/** `provider`: the name of the identity provider, best that of upstreams.yaml. */
export type ImportedIdentity = ExternalIdentity & { readonly provider: string };

export type ImportedUser = UserRecord & {
  /** A new end-user gets no password: an identity provider signs them in, or a link sets one. */
  readonly withoutPassword: boolean;
  /** False: nothing changes. */
  readonly disabled: boolean;
  /** Null: now. */
  readonly createdAt: Date | null;
  readonly identities: readonly ImportedIdentity[];
  /** Of authenticator apps: base32, for codes of SHA-1, six digits and 30 seconds. */
  readonly totpSecrets: readonly RawSecret[];
  readonly passkeys: readonly ImportedPasskey[];
  /** SHA-512 of each code, as the other system shows and reads it. */
  readonly recoveryCodes: readonly Buffer[];
};

const MAX_IDENTITIES = 20;
const MAX_APPS = 10;
const MAX_CODES = 30;
const CODE_HASH = /^\$sha512\$([A-Za-z0-9+/]{86}==)$/;

const text = (max: number) => z.string().min(1).max(max).refine(isPlainText);

const identity = z.strictObject({
  provider: expecting(z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/), 'lower-case letters, digits and "-"'),
  issuer: expecting(
    text(512).refine((value) => /^https?:\/\//.test(value) && URL.canParse(value)),
    'the https address of the issuer',
  ),
  sub: expecting(text(255), '1 to 255 characters without control characters'),
});

const shape = {
  without_password: z.boolean().optional(),
  disabled: z.boolean().optional(),
  created_at: importedInstant.optional(),
  identities: expecting(z.array(identity).max(MAX_IDENTITIES), `a list of at most ${MAX_IDENTITIES}`).optional(),
  totp: z
    .array(expectingSecret(z.string().refine(isTotpSecret), 'a secret of 10 to 128 bytes in base32'))
    .max(MAX_APPS)
    .optional(),
  passkeys: importedPasskeys(MAX_PASSKEYS).optional(),
  recovery_codes: z
    .array(expectingSecret(z.string().regex(CODE_HASH), '"$sha512$", and the SHA-512 of the code in base64'))
    .max(MAX_CODES)
    .optional(),
};
const schema = z.object(shape);
const NAMES = Object.keys(shape);

type ImportRules = NonNullable<Parameters<typeof readUserRecord>[2]> & {
  /** The host name of this server, for which passkeys have to be made. Null: it has none. Absent: not known here. */
  readonly rpId?: string | null;
};

/** As `readUserRecord`. */
export function readImportedUser(
  input: unknown,
  production: boolean,
  { rpId, ...rules }: ImportRules = {},
): Reading<ImportedUser> {
  if (!isJsonObject(input)) return readUserRecord(input, production, rules) as Reading<never>;
  const given = Object.entries(withoutNulls(input));
  const own = Object.fromEntries(given.filter(([name]) => NAMES.includes(name)));
  const reading = readUserRecord(
    Object.fromEntries(given.filter(([name]) => !NAMES.includes(name))),
    production,
    rules,
  );
  const parsed = schema.safeParse(own);
  if (!reading.ok || !parsed.success) {
    const problems = reading.ok ? [] : reading.problems;
    return { ok: false, problems: [...problems, ...(parsed.success ? [] : recordProblems(schema, own, parsed.error))] };
  }
  const {
    without_password: withoutPassword = false,
    disabled = false,
    created_at,
    identities = [],
    totp = [],
    passkeys = [],
    recovery_codes: codes = [],
  } = parsed.data;
  if (withoutPassword && (reading.value.password !== null || reading.value.passwordHash !== null))
    return { ok: false, problems: [problem('without_password', 'true beside a password', 'one of the two')] };
  const elsewhere = rpId === undefined ? [] : passkeys.flatMap(({ rp_id }, place) => problemOfHost(rpId, rp_id, place));
  if (elsewhere.length > 0) return { ok: false, problems: elsewhere };
  return {
    ...reading,
    value: {
      ...reading.value,
      withoutPassword,
      disabled,
      createdAt: created_at === undefined ? null : new Date(created_at),
      identities: identities.map(({ sub: subject, ...rest }) => ({ ...rest, subject })),
      totpSecrets: totp.map(rawSecret),
      passkeys: passkeys.map(readPasskey),
      recoveryCodes: codes.map((code) => Buffer.from(CODE_HASH.exec(code)?.[1] ?? '', 'base64')),
    },
  };
}

/** A browser uses a passkey only at the host name for which it was made (WebAuthn §4). */
function problemOfHost(own: string | null, sent: string, place: number): readonly RecordProblem[] {
  const key = `passkeys.${place}.rp_id`;
  if (own === null) return [problem(key, 'a server without a host name', 'at a server with a host name')];
  if (sent === own) return [];
  return [problem(key, `"${sent}"`, `"${own}", the host name of this server: a passkey works for no other`)];
}
