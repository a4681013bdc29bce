/** The client, the end-user and the server, whose epochs end all that is theirs together. */
import type { Action, Terms } from './walk.ts';

export type Owners = {
  readonly client: { readonly epoch: bigint; readonly isDeleted: boolean };
  readonly user: { readonly epoch: bigint; readonly isDisabled: boolean };
  readonly serverEpoch: bigint;
};

/** The row of theirs, as it was made. */
type Epochs = { readonly clientEpoch: bigint; readonly userEpoch: bigint; readonly serverEpoch: bigint };

/** Their epochs as a load reads them. Null: there is none any more. */
export const liveEpochs = ({ client, user, serverEpoch }: Owners) => ({
  liveClientEpoch: client.isDeleted ? null : client.epoch,
  liveUserEpoch: user.isDisabled ? null : user.epoch,
  liveServerEpoch: serverEpoch,
});

/** Every fact that an issuing statement compares of them, by name. */
export const OWNERS_STAND: Readonly<Record<string, (owners: Owners, epochs: Epochs) => boolean>> = {
  clientEpochStands: ({ client }, { clientEpoch }) => client.epoch === clientEpoch,
  clientIsThere: ({ client }) => !client.isDeleted,
  userEpochStands: ({ user }, { userEpoch }) => user.epoch === userEpoch,
  userIsEnabled: ({ user }) => !user.isDisabled,
  serverEpochStands: ({ serverEpoch }, epochs) => serverEpoch === epochs.serverEpoch,
};

/** The same facts in the guard of a statement. */
export const ownersStand = <Stored, Commit>(
  ownersOf: (stored: Stored, commit: Commit) => Owners,
  epochsOf: (stored: Stored, commit: Commit) => Epochs,
): Readonly<Record<string, (stored: Stored, commit: Commit) => boolean>> =>
  Object.fromEntries(
    Object.entries(OWNERS_STAND).map(([name, stands]) => [
      name,
      (stored, commit) => stands(ownersOf(stored, commit), epochsOf(stored, commit)),
    ]),
  );

/** The event of the raised epoch for the machine of their rows. */
export type EndingEvent = 'userDisabled' | 'passwordChanged' | 'clientDeleted' | 'serverRecovered';
export type Ending<T extends Terms> = Action<T> & { readonly event?: EndingEvent };

/** Actions of administrators and of the operator. Epochs only rise: undoing an action revives nothing. */
export function endings<T extends Terms>(
  { client, user, serverEpoch }: Owners,
  withChange: (change: Partial<Owners>) => T['stored'],
  everything: string,
): readonly Ending<T>[] {
  const raised = user.epoch + 1n;
  return [
    user.isDisabled
      ? { says: 'The end-user is enabled again.', stored: withChange({ user: { ...user, isDisabled: false } }) }
      : {
          says: 'The end-user is disabled.',
          event: 'userDisabled',
          stored: withChange({ user: { epoch: raised, isDisabled: true } }),
        },
    {
      says: 'The end-user gets a new password.',
      event: 'passwordChanged',
      stored: withChange({ user: { ...user, epoch: raised } }),
    },
    client.isDeleted
      ? {
          says: 'The client is registered again under the same id.',
          stored: withChange({ client: { ...client, isDeleted: false } }),
        }
      : {
          says: 'The client is deleted.',
          event: 'clientDeleted',
          stored: withChange({ client: { epoch: client.epoch + 1n, isDeleted: true } }),
        },
    {
      says: `The operator ends all ${everything} (statehouse recover).`,
      event: 'serverRecovered',
      stored: withChange({ serverEpoch: serverEpoch + 1n }),
    },
  ];
}
