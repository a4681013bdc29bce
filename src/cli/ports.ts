/**
 * What commands ask of a server. Each port is fulfilled twice: on the database (direct/), and through the management API of a
 * running server (remote/). Both refuse in the same words.
 */

import type { ExplainedGrant, ExplainedWithoutGrant } from '../explanation/explain.ts';
import type { User } from '../model/user.ts';
import type { PlacedUser } from '../registration/import-users.ts';
import type { Reading } from '../registration/record-problem.ts';
import type { UserRecord } from '../registration/user-record.ts';
import type { CheckedClient } from './effective-policy.ts';

export type Outcome = 'created' | 'updated' | 'unchanged';

export type ClientChanged = {
  readonly outcome: Outcome;
  /** The RFC 7591 names of the fields that differ from what was stored. */
  readonly changed: readonly string[];
  readonly client: CheckedClient;
  /** Null: none was made. Shown once. */
  readonly madeSecret: string | null;
  readonly warnings: readonly string[];
};

/** A record of an import. */
export type Imported = {
  readonly name: string;
  readonly outcome: Outcome;
  readonly changed: readonly string[];
  /** Secrets that the import made; shown once. */
  readonly made: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
};

export type Import = {
  readonly done: readonly Imported[];
  /** Why it stopped after these; null: there are no others. */
  readonly stopped: string | null;
};

export type Importer = {
  /** @throws CommandRefused with all that is wrong with the records; nothing was changed then. */
  readonly import: (records: readonly unknown[]) => Promise<Import>;
};

type ClientFields = Readonly<Record<string, unknown>>;

/** Each throws CommandRefused, also for a client that is not there. */
export type Clients = Importer & {
  /** By client_id. */
  readonly list: () => Promise<readonly CheckedClient[]>;
  readonly find: (clientId: string) => Promise<CheckedClient | null>;
  /** The same client again changes nothing; another with its id is refused. */
  readonly create: (record: ClientFields) => Promise<ClientChanged>;
  /** @param unset fields that go back to their defaults. */
  readonly update: (clientId: string, given: ClientFields, unset: readonly string[]) => Promise<ClientChanged>;
  /** @returns the new secret. */
  readonly rotateSecret: (clientId: string, keepPrevious: boolean) => Promise<string>;
  /** Of two secrets, the older stops working. */
  readonly endPreviousSecret: (clientId: string) => Promise<void>;
  readonly remove: (clientId: string) => Promise<void>;
};

export type ShownUser = Pick<User, 'id' | 'username' | 'claims' | 'disabledAt'>;

export type UserChanged = {
  readonly outcome: Outcome;
  readonly id: string;
  readonly username: string;
  /** Null: none was made. Shown once. */
  readonly madePassword: string | null;
  readonly warnings: readonly string[];
};

/** The import of end-users, in steps. */
export type PeopleImport = {
  /** What is wrong with a record by itself. */
  readonly read: (input: unknown) => Reading<UserRecord>;
  /** The keys of those usernames that end-users have. */
  readonly known: (usernames: readonly string[]) => Promise<ReadonlySet<string>>;
  /** At most `atOnce`; answered in their order. */
  readonly place: (records: readonly UserRecord[]) => Promise<readonly PlacedUser[]>;
  readonly atOnce: number;
};

/** `link`: null where it was mailed. Told once. */
export type Invited = {
  readonly id: string;
  readonly email: string;
  readonly endsAt: Date;
  readonly link: string | null;
};

/** Each throws CommandRefused, also for an end-user who is not there. */
export type Users = {
  readonly people: PeopleImport;
  /** By username. */
  readonly list: () => Promise<readonly ShownUser[]>;
  readonly find: (username: string) => Promise<ShownUser | null>;
  /** @param password null: one is made. */
  readonly create: (record: ClientFields, password: string | null) => Promise<UserChanged>;
  /** @param password null: one is made. The password that is stored already changes nothing. */
  readonly setPassword: (username: string, password: string | null) => Promise<UserChanged>;
  /** @param mail null: the answer has the link; otherwise it is mailed, in this language where it names one. */
  readonly invite: (email: string, mail: { readonly language: string | null } | null) => Promise<Invited>;
  readonly change: (username: string, change: 'disable' | 'enable' | 'delete') => Promise<{ readonly id: string }>;
};

export type KeyShown = {
  readonly kid: string;
  readonly alg: string;
  readonly state: string;
  readonly since: Date;
  /** Null: nothing happens any more. */
  readonly next: { readonly at: Date; readonly what: KeyStep } | null;
  readonly reason: RetiredReason | null;
};
export type KeyStep = 'publishes' | 'hands_over' | 'signs' | 'stops' | 'retires';
export type RetiredReason = 'tokens_expired' | 'revocation_requested';

/** `from`: null for a key that is new. */
export type KeyChanged = {
  readonly kid: string;
  readonly alg: string;
  readonly from: string | null;
  readonly to: string;
  readonly reason: string | null;
};

export type Keys = {
  readonly list: () => Promise<{ readonly now: Date; readonly keys: readonly KeyShown[] }>;
  /** @param alg null: every algorithm that the policy names. @throws CommandRefused for one that it does not name. */
  readonly rotate: (
    alg: string | null,
    atOnce: boolean,
  ) => Promise<{ readonly changes: readonly KeyChanged[]; readonly publishedBeforeSigningSeconds: number }>;
  /** `changes`: null when there is no such key; empty when it had retired. */
  readonly revoke: (
    kid: string,
  ) => Promise<{ readonly changes: readonly KeyChanged[] | null; readonly jwksMaxAgeSeconds: number }>;
};

export type Explanations = {
  /** @param text a token, a code or a grant id. @throws CommandRefused for a grant that is not there. */
  readonly explain: (text: string) => Promise<ExplainedGrant | ExplainedWithoutGrant>;
};

export type GrantShown = {
  readonly grantId: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly sub: string;
  readonly username: string;
  /** Separated by spaces. */
  readonly scope: string;
  readonly resources: readonly string[];
  readonly createdAt: Date;
  /** Null: its code waits. */
  readonly lastUsedAt: Date | null;
  readonly life:
    | { readonly kind: 'alive'; readonly until: Date; readonly end: string }
    | { readonly kind: 'over'; readonly reason: string | null; readonly since: Date | null };
};

export type GrantFilter = {
  readonly client?: string;
  readonly user?: string;
  readonly state?: 'alive' | 'over';
  readonly from?: Date;
  readonly to?: Date;
};

/** `more`: there are more than the limit. */
export type Listed<Item> = { readonly items: readonly Item[]; readonly more: boolean };

/** Each throws CommandRefused for a client, an end-user or a grant that is not there. */
export type Grants = {
  /** Newest first. */
  readonly list: (filter: GrantFilter, limit: number) => Promise<Listed<GrantShown>>;
  /** `hasEnded`: by this; false: it had ended already. */
  readonly revoke: (
    grantId: string,
  ) => Promise<{ readonly hasEnded: boolean; readonly clientId: string; readonly username: string }>;
};

export type SessionShown = {
  readonly sid: string;
  readonly sub: string;
  readonly username: string;
  readonly state: 'active' | 'ended';
  /** Null: it is active. */
  readonly reason: string | null;
  readonly signedInAt: Date;
  readonly lastUsedAt: Date;
  readonly userAgent: string | null;
};

export type SessionFilter = { readonly user?: string; readonly state?: 'active' | 'ended' };

/** Each throws CommandRefused for an end-user or a session that is not there. */
export type Sessions = {
  /** Newest first. */
  readonly list: (filter: SessionFilter, limit: number) => Promise<Listed<SessionShown>>;
  /** `hasEnded`: by this; false: it had ended already. */
  readonly end: (sid: string) => Promise<{ readonly hasEnded: boolean; readonly username: string }>;
};

export type ReceiverShown = {
  readonly name: string;
  readonly url: string;
  readonly format: 'standard' | 'set';
  readonly events: readonly string[];
  /** Of the newest deliveries. */
  readonly pending: number;
  readonly oldestPendingAt: Date | null;
};

export type DeliveryShown = {
  readonly id: string;
  readonly receiver: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly state: 'pending' | 'delivered' | 'abandoned';
  /** Why it was given up; null: it was not. */
  readonly reason: string | null;
  readonly attempts: number;
  readonly lastOutcome: string | null;
  readonly occurredAt: Date;
  readonly nextAttemptAt: Date | null;
};
export type DeliveryFilter = { readonly receiver?: string; readonly state?: DeliveryShown['state'] };

/** Each throws CommandRefused for a receiver or a delivery that is not there. */
export type Webhooks = {
  /** As webhooks.yaml names them. */
  readonly receivers: () => Promise<readonly ReceiverShown[]>;
  /** Newest first. */
  readonly deliveries: (filter: DeliveryFilter, limit: number) => Promise<Listed<DeliveryShown>>;
  readonly repeat: (id: string) => Promise<DeliveryShown>;
  readonly test: (receiver: string) => Promise<DeliveryShown>;
};
