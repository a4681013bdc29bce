/** One person as JSON: username, password, and the standard claims of OpenID Connect Core §5.1. */
import { z } from 'zod';
import { type RawSecret, rawSecret } from '../crypto/secret-types.ts';
import type { Claims } from '../model/user.ts';
import { usernameKey } from '../storage/users.ts';
import {
  isJsonObject,
  isPlainText,
  nearestField,
  notAnObject,
  printable,
  problemsOf,
  type Reading,
  type RecordProblem,
  withoutNulls,
} from './record-problem.ts';

export type UserRecord = {
  readonly username: string;
  /** Null: the stored one stays; a new person needs one. */
  readonly password: RawSecret | null;
  readonly claims: Claims;
};

const LONGEST_CLAIM = 2000;
const text = z.string().min(1).max(LONGEST_CLAIM).refine(isPlainText);
const webAddress = text.refine((one) => /^https?:\/\//.test(one) && URL.canParse(one));
/** A postal address has lines. */
const lines = z
  .string()
  .min(1)
  .max(LONGEST_CLAIM)
  .refine((one) => isPlainText(one.replaceAll(/[\r\n]/g, ' ')));

/** The end of the year 9999. */
const LAST_SECOND = 253_402_300_799;

/** Core §5.1: `YYYY-MM-DD`, where the year 0000 stands for one that is not told, or `YYYY` alone. */
function isBirthdate(value: string): boolean {
  if (!/^\d{4}(-\d{2}-\d{2})?$/.test(value)) return false;
  // 2000 was a leap year: without a year, 29 February is a birthday too.
  const date = value.replace(/^0000/, '2000');
  return date.length === 4 || new Date(`${date}T00:00:00Z`).toJSON()?.startsWith(date) === true;
}

/** OpenID Connect Core §5.1, without `sub`: the server makes that. */
const claimsShape = {
  name: text,
  given_name: text,
  family_name: text,
  middle_name: text,
  nickname: text,
  preferred_username: text,
  profile: webAddress,
  picture: webAddress,
  website: webAddress,
  email: text.regex(/^[^\s@]+@[^\s@]+$/).max(320),
  email_verified: z.boolean(),
  gender: text,
  birthdate: text.refine(isBirthdate),
  zoneinfo: text,
  locale: text.regex(/^[A-Za-z0-9]+([-_][A-Za-z0-9]+)*$/),
  phone_number: text.max(64),
  phone_number_verified: z.boolean(),
  address: z.strictObject({
    formatted: lines.optional(),
    street_address: lines.optional(),
    locality: text.optional(),
    region: text.optional(),
    postal_code: text.optional(),
    country: text.optional(),
  }),
  updated_at: z.number().min(0).max(LAST_SECOND),
} as const;

const userSchema = z.object({
  username: z
    .string()
    .max(256)
    .refine((one) => isPlainText(one) && usernameKey(one) !== ''),
  // As typed, untrimmed. U+0000 and lone surrogates cannot come out of a form, so nobody could sign in with them.
  password: z
    .string()
    .min(1)
    .max(1024)
    .refine((one) => one.isWellFormed() && !one.includes('\0'))
    .optional(),
  ...z.object(claimsShape).partial().shape,
});

const USER_FIELDS = Object.keys(userSchema.shape);
const SHORT_PASSWORD = 8;

export function readUserRecord(input: unknown): Reading<UserRecord> {
  if (!isJsonObject(input)) return notAnObject(input, 'an object with username and password');
  const { address, ...others } = withoutNulls(input);
  const record = address === undefined ? others : { ...others, address: withoutNullMembers(address) };
  const parsed = userSchema.safeParse(record);
  const unknown = Object.keys(record)
    .filter((name) => !USER_FIELDS.includes(name))
    .map(unknownField);
  if (!parsed.success || unknown.length > 0) {
    return { ok: false, problems: [...unknown, ...problemsOf(parsed.error?.issues ?? [], record, WORDS)] };
  }
  const { username, password, ...given } = parsed.data;
  const claims = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const value = { username, password: password === undefined ? null : rawSecret(password), claims };
  return { ok: true, value, warnings: warningsOf(value) };
}

const withoutNullMembers = (address: unknown): unknown => (isJsonObject(address) ? withoutNulls(address) : address);

function unknownField(name: string): RecordProblem {
  if (name === 'sub')
    return { field: name, found: 'a user', allowed: 'none: the server makes it, and it never changes' };
  const nearest = nearestField(name, USER_FIELDS);
  const hint = nearest ? `did you mean "${nearest}"?` : USER_FIELDS.join(', ');
  return {
    field: printable(name),
    found: 'an unknown name',
    allowed: `username, password and the claims of OpenID Connect: ${hint}`,
  };
}

function warningsOf({ password, claims }: UserRecord): string[] {
  const warnings: string[] = [];
  if (password !== null && password.length < SHORT_PASSWORD) {
    warnings.push(`password: under ${SHORT_PASSWORD} characters`);
  }
  if (password !== null && /[\r\n]/.test(password)) {
    warnings.push('password: has a line break, which cannot be typed into the sign-in form');
  }
  for (const claim of ['email', 'phone_number']) {
    const verified = `${claim}_verified`;
    if (claims[verified] !== undefined && claims[claim] === undefined) {
      warnings.push(`${verified}: says nothing without ${claim}`);
    }
  }
  return warnings;
}

const ALLOWED: Readonly<Record<string, string>> = {
  username: '1 to 256 characters without control characters, not only spaces',
  password: '1 to 1024 characters without U+0000',
  profile: 'an http or https address',
  picture: 'an http or https address',
  website: 'an http or https address',
  email: 'an address with one "@" and without spaces',
  email_verified: 'true or false',
  birthdate: 'YYYY-MM-DD (0000 for a year that is not told), or YYYY',
  locale: 'a language tag such as "en" or "pt-BR"',
  phone_number: '1 to 64 characters, best as "+1 604 555 1234"',
  phone_number_verified: 'true or false',
  address: 'an object of formatted, street_address, locality, region, postal_code, country, each a text',
  updated_at: 'seconds since 1970 as a number',
};

const WORDS = {
  allowed: (field: string) => ALLOWED[field] ?? `a text of 1 to ${LONGEST_CLAIM} characters without control characters`,
  isSecret: (field: string) => field === 'password',
};
