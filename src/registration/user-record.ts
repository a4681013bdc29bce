/** An end-user as JSON: username, password, the standard claims of OpenID Connect Core §5.1, and custom claims. */

import { z } from 'zod';
import { expectations, expecting } from '../../policies/expectations.ts';
import { isPlainText } from '../../policies/plain-text.ts';
import { type AcceptedHashes, hashRefusal } from '../crypto/password-formats.ts';
import { type PasswordHash, type RawSecret, rawSecret, storedPasswordHash } from '../crypto/secret-types.ts';
import type { Claims } from '../model/user.ts';
import { isStorable } from '../oauth/sent-text.ts';
import { isSubText, SUB_EXPECTED } from '../oauth/sub.ts';
import { MAX_USERNAME_CHARACTERS, usernameKey } from '../oauth/username.ts';
import type { PasswordContext } from '../people/passwords/rules.ts';
import { furtherClaimWarnings, readFurtherClaims } from './further-claims.ts';
import { isJsonObject, notAnObject, problem, type Reading, recordProblems, withoutNulls } from './record-problem.ts';
import { hiddenlyWeakPassword, weakPassword, weakSecretWarning } from './weak-secrets.ts';

export type UserRecord = {
  /** Of another system, for a new user; null: the server makes one. */
  readonly sub: string | null;
  readonly username: string;
  /** Null: the stored password stays; a new user needs a password. */
  readonly password: RawSecret | null;
  /** Of another system, in a format that is verified here; null: none was sent. Never beside a password. */
  readonly passwordHash: PasswordHash | null;
  readonly claims: Claims;
};

const MAX_CLAIM_CHARACTERS = 2000;
const TEXT = `a text of 1 to ${MAX_CLAIM_CHARACTERS} characters without control characters`;

const plainText = z.string().min(1).max(MAX_CLAIM_CHARACTERS).refine(isPlainText);
const text = expecting(plainText, TEXT);
const webAddress = expecting(
  plainText.refine((value) => /^https?:\/\//.test(value) && URL.canParse(value)),
  'an http or https address',
);
/** A postal address has several lines. */
const lines = expecting(
  z
    .string()
    .min(1)
    .max(MAX_CLAIM_CHARACTERS)
    .refine((value) => isPlainText(value.replaceAll(/[\r\n]/g, ' '))),
  `${TEXT} except line breaks`,
);

/** The end of the year 9999. */
const LAST_SECOND = 253_402_300_799;

/** Core §5.1: `YYYY-MM-DD`, where the year 0000 means that the year is omitted, or `YYYY` alone. */
function isBirthdate(value: string): boolean {
  if (!/^\d{4}(-\d{2}-\d{2})?$/.test(value)) return false;
  // 2000 was a leap year, so that 29 February without a year is valid.
  const date = value.replace(/^0000/, '2000');
  return new Date(`${date}T00:00:00Z`).toJSON()?.startsWith(date) === true;
}

/** OpenID Connect Core §5.1.1. */
const addressShape = {
  formatted: lines.optional(),
  street_address: lines.optional(),
  locality: text.optional(),
  region: text.optional(),
  postal_code: text.optional(),
  country: text.optional(),
};

/** OpenID Connect Core §5.1, without `sub`. */
const claimsSchema = z.object({
  name: text,
  given_name: text,
  family_name: text,
  middle_name: text,
  nickname: text,
  preferred_username: text,
  profile: webAddress,
  picture: webAddress,
  website: webAddress,
  email: expecting(
    plainText.regex(/^[^\s@]+@[^\s@]+$/).max(320),
    'an address of at most 320 characters, with one "@" and without spaces',
  ),
  email_verified: z.boolean(),
  gender: text,
  birthdate: expecting(plainText.refine(isBirthdate), 'YYYY-MM-DD (0000 for an omitted year), or YYYY'),
  zoneinfo: text,
  locale: expecting(plainText.regex(/^[A-Za-z0-9]+([-_][A-Za-z0-9]+)*$/), 'a language tag such as "en" or "pt-BR"'),
  phone_number: expecting(plainText.max(64), '1 to 64 characters, best as "+1 604 555 1234"'),
  phone_number_verified: z.boolean(),
  address: expecting(z.strictObject(addressShape), `an object of ${Object.keys(addressShape).join(', ')}, each a text`),
  updated_at: expecting(z.number().min(0).max(LAST_SECOND), 'seconds since 1970 as a number'),
});

const password = z
  .string()
  .min(1)
  .max(1024)
  // As typed, untrimmed. A form cannot send U+0000 or lone surrogates, so no sign-in could succeed with them.
  .refine(isStorable)
  .register(expectations, { expected: '1 to 1024 characters without U+0000', secret: true });

const passwordHash = z
  .string()
  .refine(isStorable)
  .register(expectations, { expected: 'a text: the hash of a password', secret: true });

const userSchema = z.strictObject({
  username: expecting(
    z
      .string()
      .max(MAX_USERNAME_CHARACTERS)
      .refine((value) => isPlainText(value) && usernameKey(value) !== ''),
    '1 to 256 characters without control characters, not only spaces',
  ),
  password: password.optional(),
  password_hash: passwordHash.optional(),
  sub: expecting(z.string().refine(isSubText), SUB_EXPECTED).optional(),
  ...claimsSchema.partial().shape,
  // Checked by further-claims.ts, which knows names and sizes.
  claims: z.unknown().optional(),
});

type RecordRules = Pick<PasswordContext, 'policy' | 'service' | 'isBreached'> & {
  /** Absent: slow ones alone. */
  readonly hashes?: AcceptedHashes;
};

/**
 * @param production rejects a weak password; false: a weak password is a warning.
 * @param rules for passwords; absent: the minimum of NIST SP 800-63B.
 */
export function readUserRecord(input: unknown, production: boolean, rules: RecordRules = {}): Reading<UserRecord> {
  if (!isJsonObject(input)) return notAnObject(input, 'an object with username and password');
  const { address, ...others } = withoutNulls(input);
  const record: Readonly<Record<string, unknown>> = { ...others, address: withoutNullMembers(address) };
  const parsed = userSchema.safeParse(record);
  const further = readFurtherClaims(record['claims']);
  const ofHash = problemsOfHash(record['password_hash'], record['password'] !== undefined, rules.hashes);
  if (!parsed.success || further.problems.length > 0 || ofHash.length > 0) {
    const problems = parsed.success ? [] : recordProblems(userSchema, record, parsed.error);
    return { ok: false, problems: [...problems, ...ofHash, ...further.problems] };
  }
  const { username, sub = null, password, password_hash: hash, claims: _, ...given } = parsed.data;
  const standard = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const claims = { ...standard, ...further.claims };
  const value = {
    username,
    sub,
    password: password === undefined ? null : rawSecret(password),
    passwordHash: hash === undefined ? null : storedPasswordHash(hash),
    claims,
  };
  const weak = value.password === null ? null : weakPassword(value.password, { ...namesOf(value), ...rules });
  if (weak && production) return { ok: false, problems: [weak] };
  return { ok: true, value, warnings: [...(weak ? [weakSecretWarning(weak)] : []), ...warningsOf(value)] };
}

const namesOf = ({ username, claims }: UserRecord) => ({
  username,
  alsoNamed: typeof claims['email'] === 'string' ? [claims['email']] : [],
});

/** As `readUserRecord`, and it counts too how soon the password is guessed, and whether it is breached. For one record: an import has many. */
export async function judgeUserRecord(
  ...[input, production, rules = {}]: Parameters<typeof readUserRecord>
): Promise<Reading<UserRecord>> {
  const reading = readUserRecord(input, production, rules);
  if (!reading.ok || reading.value.password === null) return reading;
  const { value, warnings } = reading;
  const context = { ...namesOf(value), ...rules };
  // Outside production a weak one is there, with its warning.
  if (weakPassword(reading.value.password, context)) return reading;
  const weak = await hiddenlyWeakPassword(reading.value.password, context);
  if (weak === null) return reading;
  return production
    ? { ok: false, problems: [weak] }
    : { ok: true, value, warnings: [weakSecretWarning(weak), ...warnings] };
}

function problemsOfHash(hash: unknown, isBesidePassword: boolean, accepted: AcceptedHashes | undefined) {
  if (typeof hash !== 'string' || hash === '')
    return hash === '' ? [problem('password_hash', 'nothing', 'a hash')] : [];
  if (isBesidePassword) return [problem('password_hash', 'password beside it', 'either password or password_hash')];
  const refusal = hashRefusal(hash, accepted);
  return refusal === null ? [] : [problem('password_hash', refusal.found, refusal.expected)];
}

const withoutNullMembers = (address: unknown): unknown => (isJsonObject(address) ? withoutNulls(address) : address);

function warningsOf({ password, claims }: UserRecord): string[] {
  const warnings: string[] = [];
  if (password !== null && /[\r\n]/.test(password)) {
    warnings.push('password: has a line break, which cannot be typed into the sign-in form');
  }
  for (const claim of ['email', 'phone_number']) {
    const verified = `${claim}_verified`;
    if (claims[verified] !== undefined && claims[claim] === undefined) {
      warnings.push(`${verified}: has no meaning without ${claim}`);
    }
  }
  return [...warnings, ...furtherClaimWarnings(claims)];
}
