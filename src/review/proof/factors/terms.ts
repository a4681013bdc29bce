/** What the walk of factors speaks of. */
import type { Commit } from '../../../engine/commit.ts';
import type { LoadedPasskey } from '../../../lifecycles/passkey/lifecycle.ts';
import type { LoadedRecoveryCode } from '../../../lifecycles/recovery-code/lifecycle.ts';
import type { FactorAnswer, LoadedSecondFactor } from '../../../lifecycles/second-factor/lifecycle.ts';
import type { ProvenFactor, SessionCommit, SessionUse } from '../../../lifecycles/session/lifecycle.ts';
import type { Passkey, RecoveryCode, SecondFactor } from '../../../model/factors.ts';
import type { Session } from '../../../model/session.ts';
import type { StoredSession } from '../sign-ins/store.ts';

export type Removal = 'removalRequested' | 'removalRequestedByAdministrator';
/** By the end-user: in a session in which only the password was right; under a policy that demands a factor. */
type ByEndUser = { readonly byPasswordAlone: boolean; readonly isDemanded: boolean };

/** The browser that sends a code or a signature, by the name of its session. */
type InBrowser = { readonly sid: string };

export type AboutApp = { readonly about: 'app'; readonly id: string } & (
  | ({
      readonly type: 'presented' | 'confirmed';
      /** Whose code is sent; null: a wrong code. */
      readonly step: number | null;
      readonly byPasswordAlone: boolean;
    } & InBrowser)
  | ({ readonly type: Removal } & ByEndUser)
);
export type AboutPasskey = { readonly about: 'passkey'; readonly id: string } & (
  | ({
      readonly type: 'presented';
      /** Null: a signature of something else. */
      readonly counter: number | null;
    } & InBrowser)
  | ({ readonly type: 'registered'; readonly byPasswordAlone: boolean } & InBrowser)
  | ({ readonly type: Removal } & ByEndUser)
);
export type AboutCode = { readonly about: 'code'; readonly id: string } & (
  | ({ readonly type: 'presented' } & InBrowser)
  | { readonly type: 'newCodesRequested' }
);
/** What was accepted is added to the session of the browser that sent it. */
export type AboutSession = { readonly about: 'session'; readonly sid: string; readonly factor: ProvenFactor };
export type Asked = AboutApp | AboutPasskey | AboutCode | AboutSession;

export type StoredFactorSession = StoredSession & {
  /** Account or policy demanded a factor at the sign-in. */
  readonly needsFactor: boolean;
};

export type Stored = {
  readonly apps: readonly SecondFactor[];
  readonly passkeys: readonly Passkey[];
  /** Those that were made together have the same number. */
  readonly codes: readonly (RecoveryCode & { readonly made: number })[];
  readonly sessions: readonly StoredFactorSession[];
  readonly userIsDisabled: boolean;
  /** Otherwise passkeys are the only way to sign in. */
  readonly hasPassword: boolean;
  /** The policy demands a second factor. */
  readonly isDemanded: boolean;
};

/** Something that was accepted, as its browser was told. */
export type Accepted = {
  readonly sid: string;
  readonly factor: ProvenFactor;
  /** The time step, or the signature counter; null: there is none. */
  readonly number: number | null;
};

export type Terms = {
  readonly stored: Stored;
  readonly asked: Asked;
  readonly loaded:
    | LoadedSecondFactor
    | LoadedPasskey
    | LoadedRecoveryCode
    | { readonly now: Date; readonly session: Session; readonly factorStands: boolean };
  readonly commit: Commit | SessionCommit;
  readonly answer: FactorAnswer | SessionUse;
  readonly known: { readonly accepted: readonly Accepted[] };
};
