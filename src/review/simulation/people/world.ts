/**
 * One end-user, what they sign in with, and the browsers of a scenario, in memory. Every change is decided by a machine, through the
 * engine's own loop, and carried out at once: what may come between a load and its commit is what the proof is about.
 */

import type { SignInPolicy } from '../../../../policies/schema.ts';
import type { Commit, Table } from '../../../engine/commit.ts';
import { type Request, running } from '../../../engine/run.ts';
import type { MachineOf } from '../../../engine/step.ts';
import type { Client } from '../../../model/client.ts';
import type { EmailChallenge } from '../../../model/email-challenge.ts';
import type { ExternalSignIn } from '../../../model/external-sign-in.ts';
import type { Passkey, RecoveryCode, SecondFactor } from '../../../model/factors.ts';
import type { Bytes } from '../../../model/grant.ts';
import type { Interaction } from '../../../model/interaction.ts';
import type { Lifetimes } from '../../../model/lifetimes.ts';
import type { LinkedIdentity } from '../../../model/linked-identity.ts';
import type { RegisteredUser, User } from '../../../model/user.ts';
import type { StoredGrant } from '../../proof/authorizations/store.ts';
import { changeOf } from '../../proof/carry-out.ts';
import type { StoredConsent, StoredSession } from '../../proof/sign-ins/store.ts';
import type { Actor, SignInTerms } from '../scenario.ts';
import type { Answer } from '../stage.ts';

/** The rows of the database. Values: a change makes others. */
export type Rows = {
  readonly user: RegisteredUser;
  /** Each write makes another version, as in Postgres. */
  readonly userVersion: number;
  readonly serverEpoch: bigint;
  readonly client: Client;
  readonly sessions: readonly StoredSession[];
  readonly consents: readonly StoredConsent[];
  /** What approvals have made. */
  readonly grants: readonly StoredGrant[];
  readonly apps: readonly SecondFactor[];
  readonly recoveryCodes: readonly RecoveryCode[];
  readonly passkeys: readonly Passkey[];
  readonly externalSignIns: readonly ExternalSignIn[];
  readonly identities: readonly LinkedIdentity[];
  readonly mails: readonly EmailChallenge[];
};

export type BrowserState = {
  /** Of the cookie that binds sign-ins to their browser. */
  readonly hash: Bytes;
  /** Of the session; null: it has none. */
  cookie: Bytes | null;
  /** With its consent page open; null: none. */
  interaction: { readonly interaction: Interaction; readonly isStored: boolean } | null;
};

export type World = {
  rows: Rows;
  readonly now: () => Date;
  readonly lifetimes: Lifetimes;
  readonly signIn: SignInTerms;
  readonly machineOf: MachineOf;
  readonly browserOf: (actor: Actor) => BrowserState;
  /** Drawn at random: another number each time. */
  readonly draw: () => number;
  /** Of the password of today: how many the end-user has had. */
  passwordSerial: number;
};

/** What a step of a person gives, and later steps present. */
export type PersonalThing =
  | { readonly kind: 'cookie'; readonly idHash: Bytes }
  | { readonly kind: 'app'; readonly id: string }
  /** Of one time step (RFC 6238 §4.2). */
  | { readonly kind: 'appCode'; readonly app: string; readonly step: number }
  /** `copies`: the signature counter of each who has a copy. */
  | { readonly kind: 'passkey'; readonly id: string; readonly copies: Map<Actor['name'], number> }
  | { readonly kind: 'recoveryCode'; readonly id: string }
  | { readonly kind: 'answer' | 'link'; readonly id: string; readonly subject: string }
  | { readonly kind: 'resetMail' | 'changeMail' | 'undoMail' | 'lostMail'; readonly secretHash: Bytes };

export type PersonalAnswer = Answer<PersonalThing>;

export const refused = (reason: string): PersonalAnswer => ({ kind: 'refused', reason });
export const gives = (credential: PersonalThing): PersonalAnswer => ({
  kind: 'gives',
  what: credential.kind,
  credential,
});
export const DONE: PersonalAnswer = { kind: 'done' };

/** Runs one request to its end. @param commit of a change that was decided. @throws what the engine finds wrong with itself */
export function decided<Loaded, Row, Facts, Decided, Outcome>(
  { machineOf }: Pick<World, 'machineOf'>,
  request: Request<Loaded, Row, Facts, Decided, Outcome>,
  load: () => Loaded,
  commit: (commit: Decided) => boolean,
): Outcome {
  const steps = running(load(), request, machineOf);
  let next = steps.next();
  while (!next.done) {
    next = steps.next(
      next.value.kind === 'commit'
        ? { kind: 'committed', committed: commit(next.value.commit) }
        : { kind: 'loaded', loaded: load() },
    );
  }
  return next.value;
}

/** 32 bytes that nothing else has. */
export const bytesOf = (serial: number): Bytes => {
  const bytes = new Uint8Array(32);
  new DataView(bytes.buffer).setUint32(0, serial);
  return bytes;
};

export const idOf = (serial: number): string => `00000000-0000-4000-8000-${String(serial).padStart(12, '0')}`;

/** Only whether two are the same matters. @param serial of the passwords that this end-user has had. */
export const hashOfPassword = (serial: number) => `password ${serial}` as User['passwordHash'];

/** The row of this table that a commit writes, as it is afterwards. */
export function afterOf<Row extends object>(commit: Commit, table: Table<Row>): Row {
  const change = changeOf(commit, table);
  if (change === null) throw new Error(`The commit writes no row of ${table.name}.`);
  return change.after;
}

/** In place of the row with the same id, or behind the others. */
export const put = <Row extends { readonly id: string }>(rows: readonly Row[], row: Row): readonly Row[] =>
  rows.some(({ id }) => id === row.id) ? rows.map((before) => (before.id === row.id ? row : before)) : [...rows, row];

export const userEnded = ({ user }: Rows): boolean => user.disabledAt !== null;

export const demandsFactor = ({ secondFactor }: Pick<SignInPolicy, 'secondFactor'>): boolean =>
  secondFactor === 'everyone';
