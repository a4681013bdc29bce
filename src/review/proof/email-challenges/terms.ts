/** What the walk of the links in mails speaks of: one end-user, or one address, with every link that was sent. */
import type { EmailChallengePurpose } from '../../../../machines/email-challenge/facts.ts';
import type { Commit } from '../../../engine/commit.ts';
import type { LinkRejected, LinkUsed, LoadedEmailChallenge } from '../../../lifecycles/email-challenge/lifecycle.ts';
import type { EmailChallenge } from '../../../model/email-challenge.ts';
import type { RegisteredUser } from '../../../model/user.ts';

export type Asked =
  | { readonly kind: 'send'; readonly purpose: EmailChallengePurpose; readonly address: string }
  /** `id`: of the link whose button is pressed. `withPassword`: in a browser in which the password was typed. */
  | { readonly kind: 'use'; readonly id: string; readonly withPassword?: boolean }
  | { readonly kind: 'withdraw'; readonly id: string };

export type Stored = {
  readonly user: RegisteredUser | null;
  /** Each write of the end-user's row makes another version, as in Postgres. */
  readonly version: number;
  /** The end-user has a passkey or an app since then. Milliseconds since 1970; null: none. */
  readonly factorSince: number | null;
  /** Newest first. */
  readonly challenges: readonly EmailChallenge[];
};

export type Known = {
  /** The links whose use was committed, in the order of that. */
  readonly used: readonly string[];
  /** The answers that somebody got. */
  readonly answered: number;
};

export type Terms = {
  readonly stored: Stored;
  readonly asked: Asked;
  readonly loaded: LoadedEmailChallenge;
  readonly commit: Commit;
  readonly answer: { readonly kind: 'sent' } | LinkUsed | LinkRejected | boolean;
  readonly known: Known;
};
