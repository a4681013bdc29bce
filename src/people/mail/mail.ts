/** What is said in a mail, before words are found for it (src/http/views/mail.ts). */
import type { RegisteredUser } from '../../model/user.ts';

/** What happened to an account. The end-user hears of it, in case that it was not they. */
export type Notice =
  | 'password_changed'
  | 'passkey_added'
  | 'passkey_removed'
  | 'second_factor_added'
  | 'second_factor_removed'
  | 'factors_removed'
  | 'identity_removed'
  | 'address_restored';

/** Tells the end-user by mail what was just done to the account; returns at once. Absent: no mails are sent. */
export type Tell = (userId: string, notice: Notice) => void;

type About = { readonly username: string };
/** An absolute URL on this server. */
type WithLink = { readonly link: string; readonly lifetimeSeconds: number };

export type MailContent =
  | ({ readonly kind: 'reset_password' | 'lost_factors' } & About & WithLink)
  /**
   * To an address that nobody has shown to be theirs: without the username, which is a text that the asker chose, and would reach
   * strangers under the name of this server. The page of the link says it.
   */
  | ({ readonly kind: 'verify_address' | 'change_address' } & WithLink)
  /** To the address from before: the link undoes the change. */
  | ({ readonly kind: 'address_changed' } & About & WithLink)
  | ({ readonly kind: 'sign_up' | 'invitation' } & WithLink)
  /** Somebody wanted to sign up with an address that has accounts. */
  | {
      readonly kind: 'has_account';
      readonly usernames: readonly string[];
      readonly signIn: string;
      readonly forgot: string;
    }
  | ({
      readonly kind: 'new_device';
      readonly at: Date;
      readonly userAgent: string | null;
      readonly devices: string;
    } & About)
  | ({ readonly kind: Notice; readonly at: Date; readonly forgot: string } & About);

export type Mail = {
  readonly to: string;
  /** Languages and locales as BCP 47 tags, the best first. */
  readonly wishes: readonly string[];
  /** Of the IANA database; null: unknown. */
  readonly timeZone: string | null;
  readonly content: MailContent;
};

/** Sends mails after the answer. */
export type Outbox = {
  /** Never waits and never throws. */
  readonly send: (mail: Mail) => void;
  /**
   * Runs after the request was answered: so the time of the answer does not tell what was found. Bounded: where too much waits
   * already, the work is dropped and the log says so.
   */
  readonly later: (work: () => Promise<void>) => void;
};

const text = (claim: unknown): readonly string[] => (typeof claim === 'string' ? [claim] : []);

/** The end-user's own language counts before that of the browser. */
export const wishesOf = ({ claims }: Pick<RegisteredUser, 'claims'>, browser: readonly string[]): readonly string[] => [
  ...text(claims['locale']),
  ...browser,
];

export const timeZoneOf = ({ claims }: Pick<RegisteredUser, 'claims'>): string | null =>
  text(claims['zoneinfo'])[0] ?? null;
