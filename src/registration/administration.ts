/** Changes of clients and end-users by administrators: their machines decide, and the ledger says who asked. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AdministrationRejectReason } from '../../machines/shared/facts.ts';
import { isOwnClient } from '../config/own-clients.ts';
import type { RowMacs } from '../crypto/row-mac.ts';
import type { RawSecret } from '../crypto/secret-types.ts';
import { type ClientAsked, type ClientChanged, changeClient } from '../lifecycles/client/lifecycle.ts';
import { changeUser, type UserAsked, type UserChanged, type UserStore } from '../lifecycles/user/lifecycle.ts';
import type { Actor } from '../model/actor.ts';
import { clientStore } from '../storage/client-store.ts';
import type { Drizzle } from '../storage/database.ts';
import { userStore } from '../storage/user-store.ts';
import { type Clock, databaseClock } from '../system/clock.ts';

export type AdministrationDeps = {
  readonly db: Drizzle;
  readonly macs: RowMacs;
  readonly actor: Actor;
  readonly clock?: Clock;
};

export type UserAdministrationDeps = AdministrationDeps & {
  /** Absent: each change is sent by itself. */
  readonly users?: UserStore;
  /** A secret that another system added to the passwords of imported hashes. Absent: none. */
  readonly passwordPepper?: RawSecret | null | undefined;
};

type Unsigned<Asked> = Omit<Asked, 'actor'>;

/** Rejections of a machine, and one before any machine: the console and the commands need their clients unchanged. */
export type RefusedChange = AdministrationRejectReason | 'client_is_own';
export type Refused<Reason = RefusedChange> = { readonly kind: 'rejected'; readonly reason: Reason };

/** The actors that may change the server's own clients. Configuration may declare that of the commands. */
const KEEPS_OWN_CLIENTS: readonly Actor['kind'][] = ['server', 'configuration'];

/** @throws Unavailable */
export async function administerClient(
  { db, actor, macs, clock = databaseClock }: AdministrationDeps,
  clientId: string,
  asked: Unsigned<ClientAsked>,
): Promise<Extract<ClientChanged, { readonly kind: 'done' }> | Refused> {
  if (isOwnClient(clientId) && !KEEPS_OWN_CLIENTS.includes(actor.kind)) {
    return { kind: 'rejected', reason: 'client_is_own' };
  }
  return changeClient({ clients: clientStore(db, clock, macs), sleep }, clientId, { ...asked, actor });
}

/** @throws Unavailable */
export const administerUser = (
  { db, actor, macs, clock = databaseClock, users = userStore(db, clock, macs) }: UserAdministrationDeps,
  asked: Unsigned<UserAsked>,
): Promise<UserChanged> => changeUser({ users, sleep }, { ...asked, actor });

/** The public description of each reason. */
export const ADMINISTRATION_WORDS: Readonly<Record<RefusedChange, string>> = {
  client_unknown: 'The client does not exist',
  client_is_declared: 'The client is declared in clients.yaml: change it there',
  client_is_own: 'The server registers this client by itself, for its console or its commands',
  client_is_public:
    'It has no secret: it is a public client (token_endpoint_auth_method "none"), or has keys or a certificate',
  too_many_secrets: 'The client has two active secrets: delete one of them first',
  last_secret: 'It is the only secret of the client, which could not authenticate without it',
  secret_unknown: 'The client has no live secret with this id',
  user_unknown: 'The end-user does not exist',
  username_taken: 'Another end-user has this username, or signs in by it as the verified address',
  address_taken: 'Another end-user signs in by this verified address, or has it as the username',
  changed_meanwhile: 'It was changed in the meantime',
};

/** A machine has refused the change; nothing was changed. */
export class ChangeRefused extends Error {
  readonly reason: RefusedChange;
  constructor(reason: RefusedChange) {
    super(`${ADMINISTRATION_WORDS[reason]}. Nothing was changed.`);
    this.name = 'ChangeRefused';
    this.reason = reason;
  }
}

/** @throws ChangeRefused */
export function requireDone<Done extends { readonly kind: 'done' }, Reason extends RefusedChange>(
  outcome: Done | Refused<Reason>,
): Done {
  if (outcome.kind === 'rejected') throw new ChangeRefused(outcome.reason);
  return outcome;
}
