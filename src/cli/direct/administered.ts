/** The outcome of a change that was asked for at a terminal. */
import type { Runtime } from '../../boot/runtime.ts';
import { printable } from '../../config/shown.ts';
import type { UserChanged } from '../../lifecycles/user.ts';
import type { RegisteredUser } from '../../model/user.ts';
import {
  ADMINISTRATION_WORDS,
  administerUser,
  type Refused,
  type RefusedChange,
} from '../../registration/administration.ts';
import { findUserForSignIn } from '../../storage/users.ts';
import { CommandRefused, noSuch } from '../failure.ts';
import { registrationDeps } from './registration.ts';

const UNKNOWN: Partial<Record<RefusedChange, 'client' | 'user'>> = {
  client_unknown: 'client',
  user_unknown: 'user',
};

/** @param name of the client or the end-user. @throws CommandRefused when its machine has rejected the change. */
export function doneOrRefused<Done extends { readonly kind: 'done' }, Reason extends RefusedChange>(
  outcome: Done | Refused<Reason>,
  name: string,
): Done {
  if (outcome.kind === 'done') return outcome;
  const unknown = UNKNOWN[outcome.reason];
  if (unknown) throw noSuch(unknown, name);
  throw new CommandRefused(`"${printable(name)}": ${ADMINISTRATION_WORDS[outcome.reason]}. Nothing was changed.`);
}

type PlainChange = 'disableRequested' | 'enableRequested' | 'deletionRequested';

/** @throws CommandRefused, also when nobody has this username. */
export async function changeUserNamed(
  runtime: Runtime,
  username: string,
  type: PlainChange,
): Promise<Pick<RegisteredUser, 'id'>> {
  const user = await findUserForSignIn(runtime.database.drizzle, username);
  const outcome: UserChanged = user
    ? await administerUser(registrationDeps(runtime), { id: user.id, change: { type } })
    : { kind: 'rejected', reason: 'user_unknown' };
  return doneOrRefused(outcome, username).user;
}
