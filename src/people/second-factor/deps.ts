/** The dependencies of the use cases of authenticator apps and recovery codes. */
import type { KeptKey } from '../../crypto/kept-key.ts';
import type { Passkey } from '../../lifecycles/passkey/entity.ts';
import type { RecoveryCodeStore } from '../../lifecycles/recovery-code/lifecycle.ts';
import type { SecondFactor } from '../../lifecycles/second-factor/entity.ts';
import type { LoadedSecondFactor, SecondFactorStore } from '../../lifecycles/second-factor/lifecycle.ts';
import type { TrustedBrowserStore } from '../../lifecycles/trusted-browser/lifecycle.ts';
import type { Session } from '../../model/session.ts';
import { classNamed, levelOf } from '../../oauth/authentication-methods.ts';
import { classOf, isRecentSignIn } from '../../protocol/browser-session.ts';
import type { SignInDeps } from '../../protocol/sign-in.ts';
import type { Tell } from '../mail/mail.ts';

export type SecondFactorDeps = SignInDeps & {
  readonly issuer: string;
  readonly secondFactors: SecondFactorStore & {
    readonly insertApp: (factor: {
      readonly id: string;
      readonly userId: string;
      readonly sealedSecret: string;
    }) => Promise<void>;
    /** The active ones, newest first, in the form for the machine. */
    readonly loadActive: (userId: string) => Promise<readonly LoadedSecondFactor[]>;
    /** Those that were not removed, newest first. */
    readonly listApps: (userId: string) => Promise<readonly SecondFactor[]>;
    /** The active ones, newest first. */
    readonly listPasskeys: (userId: string) => Promise<readonly Passkey[]>;
  };
  readonly recoveryCodes: RecoveryCodeStore;
  readonly trustedBrowsers: TrustedBrowserStore;
  /** The keys for recovery codes, of root secrets that have left the list. */
  readonly keptKeys: () => Promise<readonly KeptKey[]>;
  readonly tell?: Tell;
};

/** The session has only the password: a thief of the password could use this browser. */
export const isByPasswordAlone = (session: Session): boolean =>
  levelOf(classOf(session)) < levelOf(classNamed('multi-factor'));

/** A user who adds a factor needs a recent sign-in: an unattended browser must not suffice. @throws StoreUnavailable */
export async function isRecentSession(deps: SecondFactorDeps, session: Session): Promise<boolean> {
  const { now } = await deps.sessions.load({ idHash: session.idHash });
  return isRecentSignIn(deps, session, now);
}

export type { Session };
