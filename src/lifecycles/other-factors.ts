/** The requirements that a change of one way to sign in has of the end-user's other ways. */
import { type Commit, type Requirement, rowsOf } from '../engine/commit.ts';
import { NO_PASSWORD } from '../model/user.ts';
import { LINKED_IDENTITIES } from './linked-identity/entity.ts';
import { PASSKEYS } from './passkey/entity.ts';
import { SECOND_FACTORS } from './second-factor/entity.ts';
import { USERS } from './user/entity.ts';

/** `some`: under a policy that demands a factor, another stays. `none`: a factor that a password alone adds is the first. */
export type OtherFactors = 'any' | 'some' | 'none';

type Owned = { readonly id: string; readonly userId: string };

/** Of two parallel changes that each depend on the other factors, one comes first, and the other sees it. */
export const ofUser = ({ userId }: Pick<Owned, 'userId'>): NonNullable<Commit['inTurn']> => ({
  table: USERS.name,
  key: { id: userId },
});

/** Locked against a change by an administrator, which requires no other factor. */
export const otherFactors = (others: OtherFactors, { id, userId }: Owned): readonly Requirement[] =>
  others === 'any'
    ? []
    : [
        {
          that: others === 'some' ? 'another factor is active' : 'no other factor is active',
          rows: [
            rowsOf(SECOND_FACTORS, { userId, state: 'active' }, { not: { id } }),
            rowsOf(PASSKEYS, { userId, state: 'active' }, { not: { id } }),
          ],
          are: others,
          locked: true,
        },
      ];

/** The end-user can sign in without this passkey or linked identity: with a password, or another of them. */
export const anotherWay = ({ id, userId }: Owned): Requirement => ({
  that: 'there is another way to sign in',
  rows: [
    rowsOf(USERS, { id: userId }, { not: { passwordHash: NO_PASSWORD } }),
    rowsOf(LINKED_IDENTITIES, { userId, state: 'active' }, { not: { id } }),
    rowsOf(PASSKEYS, { userId, state: 'active' }, { not: { id } }),
  ],
  are: 'some',
});
