/**
 * The import of many end-users. Each record is planned and decided by itself; their statements are batched. All of libuv's threads
 * hash passwords. Imported records stay after a failure: the same import again finds them unchanged.
 */
import { describeRecordProblem } from '../config/problem.ts';
import { NO_PASSWORD, type RegisteredUser, subOf, verifiedAddressKey } from '../model/user.ts';
import { type CredentialHolders, credentialKey, holdersOfCredentials } from '../storage/imported-ways.ts';
import { userImportStore } from '../storage/user-import.ts';
import { findUsersNamed, takenSubs, usernameKey } from '../storage/users.ts';
import { databaseClock } from '../system/clock.ts';
import { ChangeRefused } from './administration.ts';
import { placeWays } from './import-ways.ts';
import type { ImportedUser } from './imported-user.ts';
import type { WaysDeps } from './placed-user.ts';
import { problem } from './record-problem.ts';
import { applyUserPlan, identityFor, PasswordMissing, planFor, SubRefused, type UserPlan } from './register-user.ts';

/** `words`: why this record was refused; the others are not concerned. `notes`: its parts that could not be stored. */
export type PlacedUser =
  | ({
      readonly kind: 'placed';
      readonly changed: readonly string[];
      readonly notes?: readonly string[];
      /** Of the row. Absent: a running server stored it. */
      readonly id?: string;
    } & Pick<UserPlan, 'outcome' | 'username' | 'disabled'> & { readonly sub: string })
  | { readonly kind: 'refused'; readonly words: string };

/** A record beside the stored end-users, before anything is written. */
export type FoundUser = { readonly kind: 'new' | 'known' } | { readonly kind: 'refused'; readonly words: string };

/** How many are under way at the same time. */
export const USERS_AT_ONCE = 500;

type Records = readonly ImportedUser[];

/** Both: @param records at most USERS_AT_ONCE, of different end-users. @returns in the order of the records. @throws Unavailable */
export function userPlacing(deps: WaysDeps) {
  const together = { ...deps, users: userImportStore(deps.db, deps.clock ?? databaseClock, deps.macs) };

  async function storedFor(records: Records) {
    const found = await findUsersNamed(
      deps.db,
      records.map(({ username }) => username),
    );
    const taken = await takenSubs(
      deps.db,
      records.flatMap(({ sub }) => sub ?? []),
    );
    const holders = await holdersOfCredentials(
      deps.db,
      records.flatMap(({ passkeys }) => passkeys.map(({ credentialId }) => credentialId)),
    );
    const stored = new Map(found.map(({ usernameKey: key, ...user }) => [key, user]));
    return (record: ImportedUser) => ({ stored: stored.get(usernameKey(record.username)) ?? null, taken, holders });
  }

  async function find(records: Records): Promise<readonly FoundUser[]> {
    const factsOf = await storedFor(records);
    const found = async (record: ImportedUser): Promise<FoundUser> => {
      const { stored, taken, holders } = factsOf(record);
      try {
        refuseTaken(record, stored?.id ?? null, holders);
        if (stored === null) identityFor(deps, record.sub, taken);
        else if (record.sub !== null && record.sub !== subOf(stored)) throw SubRefused.ofAnother();
        await refuseNameOfAnother(record, stored);
        return { kind: stored === null ? 'new' : 'known' };
      } catch (error) {
        return refusedOr(error);
      }
    };
    return Promise.all(records.map(found));
  }

  /** As the machine of end-users refuses it. @throws ChangeRefused */
  async function refuseNameOfAnother(record: ImportedUser, stored: RegisteredUser | null): Promise<void> {
    const address = verifiedAddressKey(record);
    const isKept = stored !== null && verifiedAddressKey(stored) === address;
    if (isKept) return;
    const id = stored?.id ?? deps.random.uuid();
    const { usernameOf, addressOf = null } = await together.users.load(id, record.username, null, address);
    if (usernameOf !== null && usernameOf !== id) throw new ChangeRefused('username_taken');
    if (addressOf !== null && addressOf !== id) throw new ChangeRefused('address_taken');
  }

  async function planned(
    record: ImportedUser,
    { holders, ...facts }: ReturnType<Awaited<ReturnType<typeof storedFor>>>,
  ) {
    const { stored } = facts;
    try {
      refuseTaken(record, stored?.id ?? null, holders);
      const plan = await planFor(together, record, facts);
      await applyUserPlan(together, plan);
      const isKnown = stored !== null;
      const hasPassword = (plan.passwordHash ?? stored?.passwordHash ?? NO_PASSWORD) !== NO_PASSWORD;
      return { kind: 'planned', plan, record, isKnown, hasPassword } as const;
    } catch (error) {
      return refusedOr(error);
    }
  }

  async function place(records: Records): Promise<readonly PlacedUser[]> {
    const factsOf = await storedFor(records);
    const all = await Promise.all(records.map((record) => planned(record, factsOf(record))));
    const done = all.filter((one) => one.kind === 'planned');
    const ways = await placeWays(
      deps,
      done.map(({ plan, record, isKnown, hasPassword }) => ({
        id: plan.id,
        isKnown,
        isDisabled: plan.disabled,
        hasPassword,
        sent: record,
      })),
    );
    const waysOf = new Map(done.map((one, at) => [one.record, ways[at]]));
    return all.map((one): PlacedUser => {
      if (one.kind === 'refused') return one;
      const { plan, record } = one;
      const { changed: added = [], notes = [] } = waysOf.get(record) ?? {};
      const outcome = plan.outcome === 'unchanged' && added.length > 0 ? 'updated' : plan.outcome;
      const changed = plan.outcome === 'created' ? plan.changed : [...plan.changed, ...added];
      const { id, username, disabled } = plan;
      return {
        kind: 'placed',
        id,
        outcome,
        sub: subOf(plan),
        username,
        changed,
        disabled: disabled && !record.disabled,
        ...(notes.length > 0 && { notes }),
      };
    });
  }

  return { find, place };
}

/** A credential id belongs to one end-user for good. */
export class PasskeyRefused extends Error {
  constructor(place: number) {
    const key = `passkeys.${place}.credential_id`;
    super(describeRecordProblem(problem(key, 'that of another end-user', 'one that no other end-user has had')));
    this.name = 'PasskeyRefused';
  }
}

/** Before anything is stored of the record. @param id of the stored end-user; null: a new one. @throws PasskeyRefused */
function refuseTaken({ passkeys }: ImportedUser, id: string | null, holders: CredentialHolders): void {
  const place = passkeys.findIndex(({ credentialId }) => {
    const holder = holders.get(credentialKey(credentialId));
    return holder !== undefined && holder !== id;
  });
  if (place >= 0) throw new PasskeyRefused(place);
}

/** @throws an error that is not about the record. */
function refusedOr(error: unknown): { readonly kind: 'refused'; readonly words: string } {
  if ([PasswordMissing, SubRefused, PasskeyRefused, ChangeRefused].some((kind) => error instanceof kind))
    return { kind: 'refused', words: (error as Error).message };
  throw error;
}
