/** An end-user as the API shows and reads it. */
import { z } from 'zod';
import { type RegisteredUser, subOf } from '../../model/user.ts';
import { STANDARD_CLAIMS } from '../../oauth/claims.ts';
import { isSubText, SUB } from '../../oauth/sub.ts';
import { MAX_USERNAME_CHARACTERS } from '../../oauth/username.ts';
import { USER_FACTORS, type UserFacts } from '../../storage/user-list.ts';
import { addressOf, links } from '../addresses.ts';
import { shownInstant } from '../instant.ts';
import { etag, link } from '../page.ts';
import type { FieldProblem } from '../problem.ts';
import { readOnly } from '../read-only.ts';

const claims = z
  .record(z.string(), z.unknown())
  .describe('Claims by the names of OpenID Connect Core §5.1; custom claims under any other name.');
const disabled = z.boolean().describe('true: the end-user cannot sign in, and every session and grant has ended.');
const username = z.string().min(1).max(MAX_USERNAME_CHARACTERS);

/** Only shown: no request writes them. */
const facts = {
  created_at: shownInstant.describe(
    'When the end-user was registered, here or in the system that an import came from.',
  ),
  changed_at: shownInstant
    .nullable()
    .describe(
      'When username, password, claims or `disabled` changed last; null: never, or before the server recorded it.',
    ),
  last_sign_in_at: shownInstant.nullable().describe('When the last session began; null: no sign-in is known.'),
  has_password: z.boolean(),
  factors: z
    .array(z.enum(USER_FACTORS))
    .describe('The kinds of active factors beside the password; `recovery_code`: a code that is not used yet.'),
};

/** The body of requests. Read-only members may be sent back, and change nothing. */
export const userBody = z.strictObject({
  username,
  password: z
    .string()
    .min(1)
    .max(1024)
    .optional()
    .describe('Never shown. A new password ends every session and grant.'),
  password_hash: z
    .string()
    .min(1)
    .max(1024)
    .optional()
    .describe(
      'Instead of `password`: a hash that another system made (argon2id, argon2i, bcrypt, scrypt or PBKDF2). Never shown. A hash that the server already stores changes nothing.',
    ),
  claims: claims.optional(),
  disabled: disabled.optional(),
  sub: z
    .string()
    .regex(SUB)
    .refine(isSubText)
    .optional()
    .describe(
      'For a new end-user who had it in another system: 1 to 255 printable ASCII characters without spaces. Absent: the server makes it. It never changes.',
    ),
  disabled_at: z.string().optional(),
  ...readOnly(facts),
  has_password: z.boolean().optional().describe('Only shown; other than it is, it is refused.'),
  etag: z.unknown().optional(),
  _links: z.unknown().optional(),
});

/** RFC 7396: null takes a member away. */
export const userPatch = z
  .looseObject({})
  .describe('Members of the end-user to replace; null removes a member. `password` sets a new one.');

export const userShape = z
  .object({
    sub: z.string(),
    username,
    disabled,
    disabled_at: z.iso.datetime().nullable().describe('Only shown: since when; null: not disabled.'),
    claims,
    ...facts,
    _links: z.object({
      self: link,
      grants: link,
      sessions: link,
      'linked-identities': link,
      passkeys: link,
      'trusted-browsers': link,
      'second-factor': link,
      'mailed-links': link,
      consequences: link,
    }),
  })
  .meta({ id: 'User' });

export const listedUserShape = userShape.extend({ etag }).meta({ id: 'ListedUser' });

/** A user with the facts that no request writes. */
export const shownUser = (record: UserDocument, shown: object): object => {
  const { _links, ...members } = record;
  return { ...members, ...shown, _links };
};

export const userFacts = ({ createdAt, changedAt, lastSignInAt, hasPassword, factors }: UserFacts) => ({
  created_at: createdAt.toISOString(),
  changed_at: changedAt?.toISOString() ?? null,
  last_sign_in_at: lastSignInAt?.toISOString() ?? null,
  has_password: hasPassword,
  factors,
});

export const userAddress = (issuer: string, sub: string): string => addressOf(issuer, 'users', sub);

export function userDocument(
  issuer: string,
  {
    id,
    sub,
    username: name,
    disabledAt,
    claims: stored,
  }: Pick<RegisteredUser, 'id' | 'sub' | 'username' | 'disabledAt' | 'claims'>,
) {
  const self = userAddress(issuer, id);
  return {
    sub: subOf({ id, sub }),
    username: name,
    disabled: disabledAt !== null,
    disabled_at: disabledAt?.toISOString() ?? null,
    claims: stored,
    ...links({
      self,
      grants: `${self}/grants`,
      sessions: `${self}/sessions`,
      'linked-identities': `${self}/linked-identities`,
      passkeys: `${self}/passkeys`,
      'trusted-browsers': `${self}/trusted-browsers`,
      'second-factor': `${self}/second-factor`,
      'mailed-links': `${self}/mailed-links`,
      consequences: `${self}/consequences`,
    }),
  };
}

type UserDocument = ReturnType<typeof userDocument>;

export type SentUser = z.output<typeof userBody>;

/** As src/registration/user-record.ts reads it: standard claims beside the username, the others under `claims`. */
export function recordIn({
  username: name,
  password,
  password_hash,
  claims: all = {},
}: SentUser): Readonly<Record<string, unknown>> {
  const [standard, further] = [true, false].map((isStandard) =>
    Object.fromEntries(Object.entries(all).filter(([claim]) => STANDARD_CLAIMS.includes(claim) === isStandard)),
  );
  return {
    ...standard,
    username: name,
    ...(password !== undefined && { password }),
    ...(password_hash !== undefined && { password_hash }),
    claims: further,
  };
}

/** Where a problem of the record is in what was sent. */
export const fieldOf = (key: string | null): string | null =>
  key !== null && STANDARD_CLAIMS.includes(key.split('.')[0] ?? '') ? `claims.${key}` : key;

export const otherSub = (sub: string): FieldProblem => ({
  field: 'sub',
  detail: `Expected ${JSON.stringify(sub)}, as in the stored end-user: it never changes.`,
});
