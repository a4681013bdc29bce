import type { Configuration } from '../config/configuration.ts';
import type { LastReload } from '../config/last-reload.ts';
import type { InEnvironment } from '../config/named-secrets.ts';
import type { SealVerifier } from '../crypto/ledger-seal.ts';
import type { Random } from '../crypto/random.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import type { RowMacs } from '../crypto/row-mac.ts';
import type { RawSecret } from '../crypto/secret-types.ts';
import type { certificatesOf } from '../http/client-certificate.ts';
import type { EmailChallengeStore } from '../lifecycles/email-challenge/lifecycle.ts';
import type { SessionStore } from '../lifecycles/session/lifecycle.ts';
import type { SigningKeyPorts } from '../lifecycles/signing-key/lifecycle.ts';
import type { PlaceOf } from '../people/account/origins.ts';
import type { LinkMaking } from '../people/email/links.ts';
import type { Mail } from '../people/mail/mail.ts';
import type { NotifyDeps } from '../people/mail/notify.ts';
import type { IsBreached } from '../people/passwords/rules.ts';
import type { ProofDeps } from '../protocol/dpop.ts';
import type { AccessTokenDeps } from '../protocol/presented-access-token.ts';
import type { PublishedKeys } from '../protocol/published-keys.ts';
import type { Drizzle } from '../storage/database.ts';
import type { Clock } from '../system/clock.ts';
import type { RequestCounter } from '../system/rate-limit.ts';

/** Mails as end-users would receive them now. */
export type MailPreviews = {
  /** BCP 47. */
  readonly languages: readonly string[];
  /** The HTML has its images within. */
  readonly compose: (mail: Mail) => Promise<{ readonly subject: string; readonly text: string; readonly html: string }>;
};

/** The dependencies of the resources. */
export type ManagementDeps = Pick<AccessTokenDeps, 'issuer' | 'store'> & {
  readonly production: boolean;
  readonly isBreached: IsBreached;
  /** A secret that another system added to the passwords of imported hashes. Absent: none. */
  readonly passwordPepper?: RawSecret | null | undefined;
  readonly configuration: () => Configuration;
  /** Where the files of this node are. */
  readonly configFolder: string;
  readonly keys: RootKeys;
  readonly macs: RowMacs;
  /** The keys of the ledger's seals. */
  readonly seals: () => SealVerifier;
  /** By the file of places that the team provides. Null: it has none, or does not know the address. */
  readonly placeOf: PlaceOf;
  readonly random: Random;
  readonly db: Drizzle;
  readonly clock: Clock;
  readonly sessions: SessionStore;
  readonly signingKeys: SigningKeyPorts;
  /** A key that no HSM knows, for dry runs. */
  readonly createKeyHere: SigningKeyPorts['createKey'];
  /** Of the keys that clients publish. */
  readonly standingOfKeys: PublishedKeys['standingOf'];
  readonly challenges: EmailChallengeStore;
  /** The same on another connection. */
  readonly challengesOn: (db: Drizzle) => EmailChallengeStore;
  /** Null: there are no pages for the links of mails. */
  readonly links: LinkMaking | null;
  /** Null: no mails are sent from here. */
  readonly mails: NotifyDeps | null;
  /** Whether there is a mail server now: without one, `links` and `mails` do nothing. */
  readonly sendsMail: () => boolean;
  /** Where the environment of this node has a secret. Null: it does not. */
  readonly inEnvironment: (name: string) => InEnvironment | null;
  /** `STATEHOUSE_MAIL_FROM`. Null: not set. */
  readonly mailFrom: string | null;
  /** After a change of a secret: this node reloads its configuration immediately, the others within seconds. */
  readonly secretChanged: () => Promise<unknown>;
  /** The words of mails are read for the first of them. */
  readonly mailPreviews: () => Promise<MailPreviews>;
  /** Null: none since the start of this node. */
  readonly lastReload: () => LastReload | null;
  /** After a change of keys: this node loads them immediately, the others within seconds. */
  readonly keepKeys: () => Promise<void>;
  /** Milliseconds; waits between reloads after a lost commit. */
  readonly sleep: (milliseconds: number) => Promise<void>;
};

/** The further dependencies that authenticate the caller. */
export type GuardDeps = ManagementDeps &
  AccessTokenDeps &
  ProofDeps & {
    /** As which client the commands of this machine come; null: they go to the database themselves. */
    readonly commandLineClient: string | null;
    /** Of the callers of this node. */
    readonly requestCounts: RequestCounter;
    /** Absent: the server takes no TLS client certificates. */
    readonly certificateOf?: ReturnType<typeof certificatesOf>;
  };
