/** A new account, by the end-user or by invitation. It exists only once the link in the mail was used. */
import type { EmailChallengePurpose } from '../../../machines/email-challenge/facts.ts';
import type { SignInPolicy } from '../../../policies/schema.ts';
import type { EmailChallenge, Resumption } from '../../lifecycles/email-challenge/entity.ts';
import { withdrawInvitation as withdraw } from '../../lifecycles/email-challenge/lifecycle.ts';
import type { Actor } from '../../model/actor.ts';
import { addressKey, addressOf } from '../../model/user.ts';
import { urlUnder } from '../../oauth/urls.ts';
import type { Asked, Asker } from '../email/asking.ts';
import { createLink, LINK_LIFETIME_SECONDS, type LinkDeps, type LinkMaking } from '../email/links.ts';
import { readAddress } from '../mail/address.ts';
import { allowMail } from '../mail/limits.ts';
import { type MailsWanted, type Outbox, QUEUE_FULL } from '../mail/mail.ts';

/** Whether the current policy allows to send and use a link of this purpose. */
export const offered =
  (policy: () => Pick<SignInPolicy, 'signUp' | 'lostFactors'>) =>
  (purpose: EmailChallengePurpose): boolean => {
    const { signUp, lostFactors } = policy();
    if (purpose === 'lost_factors') return lostFactors === 'email';
    if (purpose === 'sign_up') return signUp === 'open';
    return purpose !== 'invitation' || signUp !== 'off';
  };

export type { Resumption };

/** A mail lists no more than this. */
const MAX_NAMED = 5;

/**
 * The same answer for every address. The owner of an account with this verified address gets a mail that says so. Every
 * other requester gets the link: an unverified address may be a stranger's, and reserves nothing.
 * @param resumption the interaction that the browser resumes afterwards. Null: it goes to the account.
 * @throws StoreUnavailable
 */
export async function askToSignUp(
  deps: LinkDeps,
  typed: string | null,
  resumption: Resumption | null,
  asker: Asker,
): Promise<Asked> {
  const address = readAddress(typed);
  if (address === null) return { kind: 'addressRefused' };
  const allowance = await allowMail(deps, { address, network: asker.network });
  if (allowance.kind === 'networkIsFull') return { kind: 'throttled', retryAfterSeconds: allowance.retryAfterSeconds };
  // The same for every address: the server has not looked up the accounts yet.
  const isQueued =
    allowance.kind !== 'allowed' ||
    (await deps.outbox.want({ kind: 'sign_up_wanted', to: address, languages: asker.languages, resumption }));
  return isQueued ? { kind: 'asked' } : QUEUE_FULL;
}

/**
 * For the queue of mails. Safe to repeat: each mail has an active link, and the use of one ends the others. @throws
 * StoreUnavailable, Unavailable
 */
export async function mailSignUp(
  deps: LinkDeps,
  { to: address, resumption, languages }: Extract<MailsWanted, { kind: 'sign_up_wanted' }>,
): Promise<void> {
  const accounts = (await deps.accounts.withAddress(address, MAX_NAMED)).filter(
    (user) => addressKey(addressOf(user)?.address ?? '') === addressKey(address),
  );
  if (accounts.length > 0) {
    await deps.outbox.send({
      to: address,
      // Of several accounts, the first.
      userId: accounts[0]?.id ?? null,
      languages,
      timeZone: null,
      content: {
        kind: 'has_account',
        usernames: accounts.map(({ username }) => username),
        signIn: urlUnder(deps.issuer, '/sign-in'),
        forgot: urlUnder(deps.issuer, '/forgot-password'),
      },
    });
    return;
  }
  const link = await createLink(deps, { purpose: 'sign_up', userId: null, address, resumption });
  if (link === null) return;
  await deps.outbox.send({
    to: address,
    userId: null,
    languages,
    timeZone: null,
    content: { kind: 'sign_up', link: link.url, lifetimeSeconds: LINK_LIFETIME_SECONDS.sign_up },
  });
}

export type Invited =
  /** `isMailed`: the mail is in the queue. */
  | { readonly kind: 'invited'; readonly challenge: EmailChallenge; readonly url: string; readonly isMailed: boolean }
  | { readonly kind: 'addressRefused' }
  | { readonly kind: 'signUpIsOff' };

/**
 * An administrator invites a user. The ledger entry names the administrator.
 * @param outbox null: the function only returns the link.
 * @throws Unavailable
 */
export async function invite(
  deps: LinkMaking,
  outbox: Outbox | null,
  { email, language }: { readonly email: string; readonly language: string | null },
  actor: Actor,
): Promise<Invited> {
  const address = readAddress(email);
  if (address === null) return { kind: 'addressRefused' };
  const link = await createLink(deps, { purpose: 'invitation', userId: null, address, resumption: null }, { actor });
  if (link === null) return { kind: 'signUpIsOff' };
  const isMailed = await outbox?.send({
    to: address,
    userId: null,
    languages: language === null ? [] : [language],
    timeZone: null,
    content: { kind: 'invitation', link: link.url, lifetimeSeconds: LINK_LIFETIME_SECONDS.invitation },
  });
  return { kind: 'invited', challenge: link.challenge, url: link.url, isMailed: isMailed ?? false };
}

/** @returns false: the invitation was used, replaced or withdrawn before, or was not found. @throws Unavailable */
export const withdrawInvitation = (
  deps: Pick<LinkDeps, 'challenges' | 'sleep'>,
  id: string,
  actor: Actor,
): Promise<boolean> => withdraw(deps, id, actor);
