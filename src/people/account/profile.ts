/**
 * The end-user edits their own profile: the claims that claims.yaml names, through the machine of the registration. A
 * change that an administrator made since the page was shown is never overwritten.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Configuration } from '../../config/configuration.ts';
import { sha256 } from '../../crypto/digest.ts';
import { changeUser, type UserPorts } from '../../lifecycles/user/lifecycle.ts';
import { endUser } from '../../model/actor.ts';
import type { Session } from '../../model/session.ts';
import type { Claims, RegisteredUser } from '../../model/user.ts';
import { STANDARD_CLAIMS } from '../../oauth/claims.ts';
import type { Acceptable } from '../external/deps.ts';
import { fits, type ProfileField, profileFields } from './profile-fields.ts';

export type ProfileDeps = UserPorts & {
  readonly configuration: () => Pick<Configuration, 'claims'>;
  /** The rules for the record of an end-user, loaded for the first change. */
  readonly acceptable: () => Promise<
    Pick<Acceptable, 'acceptableClaims'> & { readonly customClaimsFit: (claims: Claims) => boolean }
  >;
};

export type Profile = {
  readonly fields: readonly ProfileField[];
  /** The name of these values: a form with another one is of an older page. */
  readonly version: string;
};

export type ProfileForm = {
  /** The version on the page of the form. Null: not sent. */
  readonly version: string | null;
  /** By the name of the claim, as typed. A claim without a field keeps its value. */
  readonly typed: ReadonlyMap<string, string>;
  /** A claim whose field the server could not read. */
  readonly malformed: string | null;
};

export type ProfileOutcome =
  /** `names`: of the changed claims. */
  | { readonly kind: 'changed'; readonly names: readonly string[] }
  /** `misfits`: the names of the claims whose values are refused. Nothing was changed. */
  | { readonly kind: 'refused'; readonly reason: 'invalid_fields'; readonly misfits: readonly string[] }
  /** `field_unknown`: the form names a claim that the end-user may not edit. */
  | { readonly kind: 'refused'; readonly reason: 'field_unknown' | 'changed_meanwhile'; readonly misfits: readonly [] }
  /** The session has ended. */
  | { readonly kind: 'signInRequired' };

/** @returns null: the session has ended. @throws StoreUnavailable */
export async function viewProfile(deps: ProfileDeps, session: Session): Promise<Profile | null> {
  const user = await ownRecord(deps, session);
  return user && profileOf(deps, user);
}

function profileOf({ configuration }: Pick<ProfileDeps, 'configuration'>, { claims }: Pick<RegisteredUser, 'claims'>) {
  const fields = profileFields(configuration().claims, claims);
  const shown = JSON.stringify(fields.map(({ name, value }) => [name, value]));
  return { fields, version: sha256(shown).toString('base64url') };
}

/** Every event that ends this session in the user's name raises the epoch. */
async function ownRecord({ users }: ProfileDeps, { userId, userEpoch }: Session): Promise<RegisteredUser | null> {
  const { user } = (await users.load(userId, null)).row;
  return user?.epoch === userEpoch ? user : null;
}

/** @param now of the database. @throws Unavailable */
export async function editProfile(
  deps: ProfileDeps,
  { session, now }: { readonly session: Session; readonly now: Date },
  form: ProfileForm,
): Promise<ProfileOutcome> {
  const user = await ownRecord(deps, session);
  if (user === null) return { kind: 'signInRequired' };
  const { fields, version } = profileOf(deps, user);
  const known = new Set(fields.map(({ name }) => name));
  const unread = form.malformed === null ? [] : [form.malformed];
  if ([...form.typed.keys(), ...unread].some((name) => !known.has(name))) return refused('field_unknown');
  if (form.version !== version) return refused('changed_meanwhile');
  const changes = new Map(
    fields.flatMap(({ name, value }) => {
      const typed = form.typed.get(name)?.trim() ?? value;
      return typed === value ? [] : [[name, typed] as const];
    }),
  );
  const misfits = await misfitsOf(deps, { fields, changes, before: user.claims });
  if (misfits.length + unread.length > 0) {
    return { kind: 'refused', reason: 'invalid_fields', misfits: [...unread, ...misfits] };
  }
  const registration = { username: user.username, passwordHash: null, claims: claimsWith(user.claims, changes, now) };
  const changed = await changeUser(deps, {
    id: user.id,
    actor: endUser(user.id),
    change: { type: 'registrationRequested', registration },
    expects: (row) => isDeepStrictEqual(row.user, user),
  });
  if (changed.kind === 'done') return { kind: 'changed', names: [...changes.keys()] };
  return (await ownRecord(deps, session)) === null ? { kind: 'signInRequired' } : refused('changed_meanwhile');
}

const refused = (reason: 'field_unknown' | 'changed_meanwhile') => ({ kind: 'refused', reason, misfits: [] }) as const;

type Changes = ReadonlyMap<string, string>;

/** The rules of the field, then those of every record of an end-user. */
async function misfitsOf(
  { acceptable }: ProfileDeps,
  {
    fields,
    changes,
    before,
  }: { readonly fields: readonly ProfileField[]; readonly changes: Changes; readonly before: Claims },
): Promise<readonly string[]> {
  if (changes.size === 0) return [];
  const { acceptableClaims, customClaimsFit } = await acceptable();
  const sent = fields.filter(({ name }) => changes.has(name));
  const misfits = sent.filter((field) => {
    const typed = changes.get(field.name) ?? '';
    return !fits(field, typed) || (typed !== '' && !(field.name in acceptableClaims({ [field.name]: typed })));
  });
  const custom = sent.filter(({ name }) => !STANDARD_CLAIMS.includes(name));
  const isTooMuch = custom.length > 0 && misfits.length === 0 && !customClaimsFit(withChanges(before, changes));
  return (isTooMuch ? custom : misfits).map(({ name }) => name);
}

function withChanges(before: Claims, changes: Changes): Claims {
  const merged = Object.entries({ ...before, ...Object.fromEntries(changes) });
  return Object.fromEntries(merged.filter(([name, value]) => !(changes.has(name) && value === '')));
}

/** A new phone number is not verified. `updated_at` (OpenID Connect Core §5.1) stays true where an import brought it. */
function claimsWith(before: Claims, changes: Changes, now: Date): Claims {
  const { phone_number_verified: wasVerified, ...claims } = withChanges(before, changes);
  return {
    ...claims,
    ...(wasVerified !== undefined && !changes.has('phone_number') && { phone_number_verified: wasVerified }),
    ...('updated_at' in before && changes.size > 0 && { updated_at: Math.floor(now.getTime() / 1000) }),
  };
}
