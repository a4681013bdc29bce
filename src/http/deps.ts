import type { Configuration } from '../config/configuration.ts';
import type { Random } from '../crypto/random.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import type { KeyRing } from '../crypto/signing-keys.ts';
import type { InteractionStore } from '../lifecycles/interaction.ts';
import type { SessionStore } from '../lifecycles/session.ts';
import type { Drizzle } from '../storage/database.ts';
import type { signInFailureStore } from '../storage/sign-in-failures.ts';
import type { Clock } from '../system/clock.ts';

/** What the routes need besides the grants. */
export type HttpDeps = {
  readonly issuer: string;
  readonly keys: RootKeys;
  readonly random: Random;
  readonly clock: Clock;
  readonly db: Drizzle;
  readonly interactions: InteractionStore;
  readonly sessions: SessionStore;
  /** Milliseconds. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly signInFailures: ReturnType<typeof signInFailureStore>;
  readonly configuration: () => Configuration;
  readonly keyRing: KeyRing;
  /** Of the apps that run in browsers: src/http/cross-origin.ts. */
  readonly browserOrigins: () => Promise<ReadonlySet<string>>;
  /** Development shows on pages what production only logs. */
  readonly production: boolean;
};
