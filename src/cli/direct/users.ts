/** End-users, on the database itself. */
import type { Runtime } from '../../boot/runtime.ts';
import { serviceNames } from '../../people/passwords/rules.ts';
import { USERS_AT_ONCE, userPlacing } from '../../registration/import-users.ts';
import { applyUserPlan, planUser, type UserPlan } from '../../registration/register-user.ts';
import { judgeUserRecord, readUserRecord } from '../../registration/user-record.ts';
import { findUserForSignIn, knownUsernameKeys, listUsers } from '../../storage/users.ts';
import { accepted } from '../accepted.ts';
import { differs, noSuch } from '../failure.ts';
import { makePassword } from '../passwords.ts';
import type { UserChanged, Users } from '../ports.ts';
import { changeUserNamed } from './administered.ts';
import { registrationDeps } from './registration.ts';

const CHANGES = { disable: 'disableRequested', enable: 'enableRequested', delete: 'deletionRequested' } as const;

export function directUsers(runtime: Runtime): Users {
  const { environment, random, configuration } = runtime;
  const db = runtime.database.drizzle;
  const deps = registrationDeps(runtime);
  const service = serviceNames(environment.issuer, configuration.branding.organization);
  const rules = { policy: configuration.signIn, service };
  const read = async (record: unknown) =>
    accepted('user', await judgeUserRecord(record, environment.production, rules));
  const changed = (plan: UserPlan, made: string | null, warnings: readonly string[]): UserChanged => {
    const { outcome, id, username } = plan;
    return { outcome, id, username, madePassword: made, warnings };
  };

  return {
    list: () => listUsers(db),
    find: (username) => findUserForSignIn(db, username),
    create: async (record, given) => {
      const made = given === null ? makePassword(random) : null;
      const { value, warnings } = await read({ ...record, password: given ?? made });
      const plan = await planUser(deps, value);
      if (plan.outcome === 'updated') throw differs('user', plan.changed);
      await applyUserPlan(deps, plan);
      return changed(plan, made, warnings);
    },
    setPassword: async (username, given) => {
      const stored = await findUserForSignIn(db, username);
      if (!stored) throw noSuch('user', username);
      const made = given === null ? makePassword(random) : null;
      const { value, warnings } = await read({ username: stored.username, password: given ?? made });
      const plan = await planUser(deps, { ...value, claims: stored.claims });
      await applyUserPlan(deps, plan);
      return changed(plan, made, warnings);
    },
    invite: async (email, mail) => (await import('./invitations.ts')).directInvite(runtime)(email, mail),
    change: (username, change) => changeUserNamed(runtime, username, CHANGES[change]),
    people: {
      read: (input) => readUserRecord(input, environment.production, rules),
      known: async (usernames) => new Set(await knownUsernameKeys(db, usernames)),
      place: userPlacing(deps),
      atOnce: USERS_AT_ONCE,
    },
  };
}
