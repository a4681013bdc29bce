/** The content of a mail, without its words (src/http/views/mail.ts). */
import type { Resumption } from '../../lifecycles/email-challenge/entity.ts';
import type { MailPurpose } from '../../lifecycles/mail/purpose.ts';
import type { RegisteredUser } from '../../model/user.ts';

/** An event of an account. The end-user receives a notice, in case another person caused it. */
export type Notice =
  | 'password_changed'
  | 'passkey_added'
  | 'passkey_removed'
  | 'second_factor_added'
  | 'second_factor_removed'
  | 'factors_removed'
  | 'browser_trusted'
  | 'identity_linked'
  | 'identity_removed'
  | 'address_restored';

/**
 * Sends the end-user a notice about the account. Resolves when the notice is in the queue, and never throws. Absent:
 * the server sends no mail.
 */
export type Tell = (userId: string, notice: Notice) => Promise<void>;

type About = { readonly username: string };
/** An absolute URL on this server. */
type WithLink = { readonly link: string; readonly lifetimeSeconds: number };

export type MailContent =
  | ({ readonly kind: 'reset_password' | 'lost_factors' } & About & WithLink)
  /**
   * To an address whose owner is not proven. The mail omits the username, a text that the requester chose, which would
   * reach strangers under the name of this server. The page of the link shows it.
   */
  | ({ readonly kind: 'verify_address' | 'change_address' } & WithLink)
  /** To the previous address: the link undoes the change. */
  | ({ readonly kind: 'address_changed' } & About & WithLink)
  | ({ readonly kind: 'sign_up' | 'invitation' } & WithLink)
  /** A visitor asked to sign up with an address that has accounts. */
  | {
      readonly kind: 'has_account';
      readonly usernames: readonly string[];
      readonly signIn: string;
      readonly forgot: string;
    }
  /** The code alone: no link of this mail signs in. */
  | ({
      readonly kind: 'mailed_code';
      /** In the form for display. */
      readonly code: string;
      readonly lifetimeSeconds: number;
      readonly at: Date;
      readonly userAgent: string | null;
    } & About)
  | ({
      readonly kind: 'new_device';
      readonly at: Date;
      readonly userAgent: string | null;
      readonly devices: string;
    } & About)
  | ({ readonly kind: Notice; readonly at: Date; readonly forgot: string } & About);

export type Mail = {
  readonly to: string;
  /** The account that the mail concerns. The erasure of the account erases the mail. Null: none. */
  readonly userId: string | null;
  /** Languages and locales as BCP 47 tags, the best first. */
  readonly languages: readonly string[];
  /** A time zone of the IANA database. Null: unknown. */
  readonly timeZone: string | null;
  readonly content: MailContent;
};

const PURPOSES: Readonly<Record<MailContent['kind'], MailPurpose>> = {
  address_changed: 'notice',
  new_device: 'notice',
  password_changed: 'notice',
  passkey_added: 'notice',
  passkey_removed: 'notice',
  second_factor_added: 'notice',
  second_factor_removed: 'notice',
  factors_removed: 'notice',
  browser_trusted: 'notice',
  identity_linked: 'notice',
  identity_removed: 'notice',
  address_restored: 'notice',
  reset_password: 'link',
  lost_factors: 'link',
  verify_address: 'link',
  change_address: 'link',
  sign_up: 'link',
  invitation: 'link',
  has_account: 'link',
  mailed_code: 'link',
};
export const MAIL_KINDS = Object.keys(PURPOSES) as readonly MailContent['kind'][];

export const purposeOf = ({ content }: Pick<Mail, 'content'>): MailPurpose => PURPOSES[content.kind];

/**
 * A stranger asked for mails to an address. The lookup, the links and the mails follow when a node takes the request
 * from the queue. The data that the server stores before its response is the same for every address.
 */
export type MailsWanted =
  | {
      readonly kind: 'sign_up_wanted';
      readonly to: string;
      readonly languages: readonly string[];
      readonly resumption: Resumption | null;
    }
  | {
      readonly kind: 'reset_wanted';
      readonly to: string;
      readonly languages: readonly string[];
      /**
       * The device cookie of a browser: only accounts that trust the device get a mail. Null: every account with the
       * address.
       */
      readonly onlyForDevice: string | null;
    }
  | {
      readonly kind: 'code_wanted';
      /** As typed: an address or a username. */
      readonly to: string;
      readonly languages: readonly string[];
      /** As of `reset_wanted`. */
      readonly onlyForDevice: string | null;
      /** Of the stored code. */
      readonly id: string;
      readonly code: string;
      /** Of the browser that asked. */
      readonly userAgent: string | null;
    };

/** The queue of mails, in the database: a waiting mail outlives the process. */
export type Outbox = {
  /**
   * Called after the commit that the mail reports. @returns false: the queue was full, and dropped the mail. @throws
   * StoreUnavailable
   */
  readonly send: (mail: Mail) => Promise<boolean>;
  /** As `send`, for the mails that a stranger requests. @throws StoreUnavailable */
  readonly want: (wanted: MailsWanted) => Promise<boolean>;
  /**
   * Looks up the recipient of a notice, and sends it: after the commit, outside the time of the request. Bounded.
   * Resolves when the notice is in the queue, or the log has the reason why not. Never throws.
   */
  readonly later: (work: () => Promise<unknown>) => Promise<void>;
};

/** After this time, a full queue may have room. */
export const QUEUE_FULL = { kind: 'queueFull', retryAfterSeconds: 60 } as const;

const text = (claim: unknown): readonly string[] => (typeof claim === 'string' ? [claim] : []);

/** The end-user's own language precedes that of the browser. */
export const languagesOf = (
  { claims }: Pick<RegisteredUser, 'claims'>,
  browser: readonly string[],
): readonly string[] => [...text(claims['locale']), ...browser];

export const timeZoneOf = ({ claims }: Pick<RegisteredUser, 'claims'>): string | null =>
  text(claims['zoneinfo'])[0] ?? null;
