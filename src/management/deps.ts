import type { Configuration } from '../config/configuration.ts';
import type { LastReload } from '../config/last-reload.ts';
import type { Random } from '../crypto/random.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import type { RowMacs } from '../crypto/row-mac.ts';
import type { EmailChallengeStore } from '../lifecycles/email-challenge.ts';
import type { SessionStore } from '../lifecycles/session.ts';
import type { SigningKeyWorld } from '../lifecycles/signing-key.ts';
import type { LinkDeps } from '../people/email/links.ts';
import type { IsBreached } from '../people/passwords/rules.ts';
import type { AccessTokenDeps } from '../protocol/presented-access-token.ts';
import type { Drizzle } from '../storage/database.ts';
import type { Clock } from '../system/clock.ts';

/** What the resources of the API need of the server. */
export type ManagementDeps = AccessTokenDeps & {
  readonly issuer: string;
  readonly production: boolean;
  readonly isBreached: IsBreached;
  readonly configuration: () => Configuration;
  readonly keys: RootKeys;
  readonly macs: RowMacs;
  /** As which client the commands of this machine come; null: they go to the database themselves. */
  readonly commandLineClient: string | null;
  readonly random: Random;
  readonly db: Drizzle;
  readonly clock: Clock;
  readonly sessions: SessionStore;
  readonly signingKeys: SigningKeyWorld;
  readonly challenges: EmailChallengeStore;
  /** Null: no mails are sent. */
  readonly links: LinkDeps | null;
  /** Null: none since the start of this node. */
  readonly lastReload: () => LastReload | null;
  /** After a change of keys: this node follows at once, the others within seconds. */
  readonly keepKeys: () => Promise<void>;
  /** Milliseconds; waits between reloads after a lost commit. */
  readonly sleep: (milliseconds: number) => Promise<void>;
};
