import type { Commit } from '../../../engine/commit.ts';
import type { ExternalSignInOutcome, LoadedExternalSignIn } from '../../../lifecycles/external-sign-in/lifecycle.ts';
import type { IdentityRemoved, LoadedIdentity } from '../../../lifecycles/linked-identity/lifecycle.ts';
import type { ExternalSignIn } from '../../../model/external-sign-in.ts';
import type { LinkedIdentity } from '../../../model/linked-identity.ts';
import type { RegisteredUser } from '../../../model/user.ts';

export type Brings = {
  readonly about: 'signIn';
  readonly id: string;
  readonly type: 'answerReceived' | 'refusalReceived' | 'browserReturned';
  readonly browser: 'its' | 'another' | 'none';
  readonly isAdmitted: boolean;
  /** The policy registers who is new. */
  readonly registers: boolean;
};
export type Removes = {
  readonly about: 'identity';
  readonly type: 'removalRequested' | 'removalRequestedByAdministrator';
  readonly id: string;
  readonly userId: string;
};
export type Asked = Brings | Removes;

export type Stored = {
  readonly signIns: readonly ExternalSignIn[];
  readonly users: readonly RegisteredUser[];
  readonly identities: readonly LinkedIdentity[];
  readonly registers: boolean;
};

export type Terms = {
  readonly stored: Stored;
  readonly asked: Asked;
  readonly loaded: LoadedExternalSignIn | LoadedIdentity;
  readonly commit: Commit;
  readonly answer: ExternalSignInOutcome | IdentityRemoved | null;
  /** Which sign-ins were acknowledged, and for whom. */
  readonly known: { readonly signedIn: readonly { readonly id: string; readonly userId: string }[] };
};
