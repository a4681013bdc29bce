import type { PasskeyState } from '../passkey/facts.ts';
import type { Instant } from '../shared/facts.ts';

export type OperatorSetUpState = 'unissued' | 'active' | 'used' | 'ended';

/** Why the link made no operator, or was not issued. */
export type OperatorSetUpRejectReason =
  | 'set_up_unknown'
  | 'set_up_expired'
  | 'set_up_used'
  | 'set_up_ended'
  | 'operator_exists'
  | 'server_recovered'
  | 'username_not_expected'
  | 'username_taken'
  | 'passkey_is_registered';

/** Why a link, or the right of the operator that it made, ended. */
export type OperatorSetUpEnd = 'replaced' | 'operator_declared';

export type OperatorSetUpContext = {
  readonly endsAt: Instant;
  /** Of the server, when the link was issued and now: `statehouse recover` raises it. */
  readonly serverEpoch: bigint;
  readonly liveServerEpoch: bigint;
  /** `declared`: operators.yaml names an end-user who may sign in. `setUp`: a link made one who may. */
  readonly operator: 'none' | 'setUp' | 'declared';
  /** The usernames of the operator, in the form in which they are compared; `null`: any. */
  readonly usernames: readonly string[] | null;
};

type Account = {
  readonly now: Instant;
  /** In the form in which usernames are compared. */
  readonly username: string;
  /** The end-user who has it; `null`: it is free. */
  readonly usernameOf: string | null;
};

export type OperatorSetUpEvent =
  /** A start of the server, or the command line, asks for a link. */
  | { readonly type: 'requested' }
  /** The button on the link's page was pressed; opening the link is no event. */
  | ({ readonly type: 'used' } & Account)
  /** As `used`, with a passkey instead of a password. */
  | ({ readonly type: 'usedWithPasskey'; readonly passkey: PasskeyState } & Account)
  /** `replaced`: a newer link was issued, in the same commit. `operatorDeclared`: operators.yaml may name an operator. */
  | { readonly type: 'replaced' | 'operatorDeclared' };
