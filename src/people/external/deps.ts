/** The dependencies of every federated and delegated sign-in. */
import type { RootKeys } from '../../crypto/root-secret.ts';
import type { ExternalSignInStore } from '../../lifecycles/external-sign-in/lifecycle.ts';
import type { LinkedIdentityStore } from '../../lifecycles/linked-identity/lifecycle.ts';
import type { Claims } from '../../model/user.ts';
import type { SessionDeps } from '../../protocol/browser-session.ts';
import type { Tell } from '../mail/mail.ts';

export type Acceptable = {
  /** The claims that an end-user may have, without malformed ones. */
  readonly acceptableClaims: (claims: Claims) => Claims;
  /** Null: the text makes no username. */
  readonly acceptableUsername: (text: unknown) => string | null;
};

export type ExternalSignInDeps = SessionDeps & {
  readonly issuer: string;
  readonly keys: RootKeys;
  readonly externalSignIns: ExternalSignInStore;
  readonly identities: LinkedIdentityStore;
  readonly tell?: Tell;
  /** Loaded for the first just-in-time user. */
  readonly acceptable: () => Promise<Acceptable>;
  readonly signInFailures: {
    readonly count: (keyHashes: readonly Buffer[], windowSeconds: number) => Promise<number[]>;
  };
};
