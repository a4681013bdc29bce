/**
 * The account of a row whose decision makes or changes one: the end-user, and the passkey with which a new account may begin. Their own
 * machines decide, in the commit of the row.
 */
import type { PasskeyEvent } from '../../machines/passkey/facts.ts';
import { InvariantViolation } from '../engine/errors.ts';
import type { RegisteredUser } from '../model/user.ts';
import type { Passkey } from './passkey/entity.ts';
import { type PasskeyFacts, passkeyLifecycle } from './passkey/lifecycle.ts';
import { userLifecycle } from './user/lifecycle.ts';
import { within } from './within.ts';

export type AccountRow = {
  readonly user: RegisteredUser | null;
  /** That came with the request; null: none came. */
  readonly passkey: Passkey | null;
};

/** A new account has nothing else. */
const NOTHING_ELSE = {
  hasAnother: false,
  otherWays: { password: false, passkeys: 0, linkedIdentities: 0 },
  isDemanded: false,
  counter: null,
  name: null,
  byPasswordAlone: false,
} as const;

export function accountIn<Row extends AccountRow>() {
  const ofPasskey = within(
    passkeyLifecycle,
    ({ passkey }: Row) => {
      if (passkey === null) throw new InvariantViolation('a new account: no passkey came');
      return passkey;
    },
    (row, passkey) => ({ ...row, passkey }),
  );
  return {
    /** The end-user's lifecycle on the row: its own states, effects and entries. */
    ofUser: within(
      userLifecycle,
      ({ user }: Row) => ({ user }),
      (row, { user }) => ({ ...row, user }),
    ),
    /** The effect that registers the passkey of the new account. */
    addPasskey: ({ user }: Row, { now }: { readonly now: Date }) => {
      const facts: PasskeyFacts = { ...NOTHING_ELSE, now, user };
      const event: PasskeyEvent = { type: 'registered', byPasswordAlone: false };
      return { lifecycle: ofPasskey, facts, event };
    },
  };
}

/** The passkey that the decision registered; null: it registered none. */
export const newPasskeyIn = (before: AccountRow, { passkey }: AccountRow): Passkey | null =>
  passkey !== null && passkey.state === 'active' && passkey !== before.passkey ? passkey : null;
