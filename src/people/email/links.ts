/** A link for a mail: its secret, its URL, its lifetime, and its delivery. */

import type { EmailChallengePurpose } from '../../../machines/email-challenge/facts.ts';
import { sha256 } from '../../crypto/digest.ts';
import type { Random } from '../../crypto/random.ts';
import type { EmailChallenge, NewEmailChallenge } from '../../lifecycles/email-challenge/entity.ts';
import {
  type EmailChallengeStore,
  type LinkAsker,
  type LinkRejected,
  sendLink,
} from '../../lifecycles/email-challenge/lifecycle.ts';
import type { RegisteredUser } from '../../model/user.ts';
import { urlUnder } from '../../oauth/urls.ts';
import type { SignInLedger } from '../../protocol/sign-in-ledger.ts';
import type { MailLimitDeps } from '../mail/limits.ts';
import type { Outbox } from '../mail/mail.ts';

export type LinkDeps = MailLimitDeps & {
  readonly signInLedger: SignInLedger;
  readonly issuer: string;
  readonly random: Random;
  /** Takes milliseconds. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly challenges: EmailChallengeStore;
  /** By the current policy: `offered`. */
  readonly isOffered: (purpose: EmailChallengePurpose) => boolean;
  readonly accounts: {
    /** The accounts with this verified address, in any case of letters, the oldest first. */
    readonly withAddress: (address: string, limit: number) => Promise<readonly RegisteredUser[]>;
    /** Null: no account has the username. */
    readonly named: (username: string) => Promise<RegisteredUser | null>;
    readonly find: (userId: string) => Promise<RegisteredUser | null>;
  };
  readonly outbox: Outbox;
  /** The id of a browser that has signed in to this account before. Null: it has not. */
  readonly knownDeviceOf?: (
    deviceCookie: string | null,
    user: Pick<RegisteredUser, 'id' | 'username'>,
  ) => string | null;
};

export type SignsInElsewhere = {
  /**
   * Whether a session of this end-user may come from a federated or delegated sign-in. In such a session, `pwd` stands
   * for a password of another server, and proves no password of this one.
   */
  readonly signsInElsewhere: (userId: string) => Promise<boolean>;
};

/** The dependencies of making and storing a link. A mail needs more. */
export type LinkMaking = Pick<LinkDeps, 'issuer' | 'random' | 'sleep' | 'challenges' | 'isOffered'>;

const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;

export const LINK_LIFETIME_SECONDS: Readonly<Record<EmailChallengePurpose, number>> = {
  reset_password: 30 * MINUTE,
  lost_factors: 30 * MINUTE,
  verify_address: DAY,
  change_address: DAY,
  sign_up: DAY,
  undo_change: 7 * DAY,
  invitation: 7 * DAY,
};

const SECRET_BYTES = 32;
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** Of a link that an operator sends to many end-users, who read it when they find the time (NIST SP 800-63B-4 §4.2). */
export const SENT_LINK_LIFETIME_SECONDS = DAY;

/** @returns the hash that identifies the link. Null: the text is no secret of this server. */
export const hashOfSecret = (secret: string | null): Buffer | null =>
  secret !== null && SECRET.test(secret) ? sha256(secret) : null;

export type DrawnLink = {
  readonly secretHash: Buffer;
  readonly id: string;
  readonly url: string;
  readonly lifetimeSeconds: number;
};

/** 256 bits. The server stores only their hash. */
export function drawLink(
  { issuer, random }: Pick<LinkDeps, 'issuer' | 'random'>,
  purpose: EmailChallengePurpose,
): DrawnLink {
  const secret = random.bytes(SECRET_BYTES).toString('base64url');
  return {
    id: random.uuid(),
    secretHash: sha256(secret),
    url: urlUnder(issuer, `/email/link?t=${secret}`),
    lifetimeSeconds: LINK_LIFETIME_SECONDS[purpose],
  };
}

export type SentLink = {
  readonly url: string;
  readonly challenge: EmailChallenge;
  readonly user: RegisteredUser | null;
};

/**
 * @returns null: the machine rejects the link, for example because the account has another address. @throws Unavailable
 */
export async function createLink(
  deps: LinkMaking,
  about: Pick<NewEmailChallenge, 'purpose' | 'userId' | 'address' | 'resumption'>,
  asker?: LinkAsker,
  lifetimeSeconds?: number,
): Promise<SentLink | null> {
  const outcome = await tryToCreateLink(deps, about, asker, lifetimeSeconds);
  return outcome.kind === 'sent' ? outcome : null;
}

/** As `createLink`, with the machine's reason. @throws Unavailable */
export async function tryToCreateLink(
  deps: LinkMaking,
  about: Pick<NewEmailChallenge, 'purpose' | 'userId' | 'address' | 'resumption'>,
  asker?: LinkAsker,
  lifetimeSeconds = LINK_LIFETIME_SECONDS[about.purpose],
): Promise<({ readonly kind: 'sent' } & SentLink) | LinkRejected> {
  const { url, ...drawn } = drawLink(deps, about.purpose);
  const outcome = await sendLink(deps, { ...about, ...drawn, lifetimeSeconds }, asker);
  return outcome.kind === 'sent' ? { ...outcome, url } : outcome;
}
