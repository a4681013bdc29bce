/** The requests for a mail with a link: from a visitor who forgot the password, or from a signed-in end-user. */
import { addressKey, addressOf, type RegisteredUser } from '../../model/user.ts';
import { isChosenUsername } from '../../oauth/username.ts';
import { readAddress } from '../mail/address.ts';
import { allowMail, allowMailToAddress, allowMailToKnownDevice, type MailAllowance } from '../mail/limits.ts';
import { languagesOf, type MailContent, type MailsWanted, QUEUE_FULL, timeZoneOf } from '../mail/mail.ts';
import {
  createLink,
  LINK_LIFETIME_SECONDS,
  type LinkDeps,
  type SentLink,
  type SignsInElsewhere,
  tryToCreateLink,
} from './links.ts';
import type { UseLinkDeps } from './using.ts';

export type Asker = {
  /** The throttle key of the sender. Addresses that count as one sender share it. */
  readonly network: string;
  /** The languages of the browser, the best first. */
  readonly languages: readonly string[];
  /** The device cookie, as sent. Null: none. */
  readonly deviceCookie: string | null;
};

/**
 * `throttled`: for the address or the network. `queueFull`: the queue has no room for a mail of this purpose. The
 * server sends no mail.
 */
type NotMailed = { readonly kind: 'throttled' | 'queueFull'; readonly retryAfterSeconds: number };

export type Asked =
  /** The same for every address, whether or not an account has it. */
  { readonly kind: 'asked' } | { readonly kind: 'addressRefused' } | NotMailed;

/** Beyond this number of accounts with one address, the others get no mail. */
const MAX_ACCOUNTS = 5;

type ResetDeps = LinkDeps & Pick<UseLinkDeps, 'identifiers'>;
type AdmitDeps = Pick<ResetDeps, 'identifiers'> & Parameters<typeof allowMail>[0];

/**
 * "Forgot your password?": a mail with the username for each account that has this verified address, and for the account
 * with this username. The server looks up and sends the mails after its response, so the response has the same words,
 * statements and time for every typed text.
 * @throws StoreUnavailable
 */
export async function askForReset(deps: ResetDeps, typed: string | null, asker: Asker): Promise<Asked> {
  const admitted = await admitAsker(deps, typed, asker);
  if (admitted.kind !== 'admitted') return admitted;
  const { to, isSilent, onlyForDevice } = admitted;
  // The same for every address: the server has not looked up the accounts yet.
  const isQueued =
    isSilent || (await deps.outbox.want({ kind: 'reset_wanted', to, languages: asker.languages, onlyForDevice }));
  return isQueued ? { kind: 'asked' } : QUEUE_FULL;
}

type Admitted = {
  readonly kind: 'admitted';
  /** An address, or a username where the policy does not say `email`. */
  readonly to: string;
  /** The mails of the address are used up: the page says the same as ever, and no mail follows. */
  readonly isSilent: boolean;
  /** The mails are used up, but not those of a trusted device. Null: any browser gets the mail. */
  readonly onlyForDevice: string | null;
};

/** The request of a visitor who is not signed in, before the server looks up any account. @throws StoreUnavailable */
export async function admitAsker(
  deps: AdmitDeps,
  typed: string | null,
  { network, deviceCookie }: Asker,
): Promise<Admitted | Exclude<Asked, { readonly kind: 'asked' }>> {
  const to = readAddress(typed) ?? (deps.identifiers() === 'email' ? null : readUsername(typed));
  if (to === null) return { kind: 'addressRefused' };
  const allowance = await allowMail(deps, { address: to, network });
  if (allowance.kind === 'networkIsFull') return { kind: 'throttled', retryAfterSeconds: allowance.retryAfterSeconds };
  // A stranger can use up the mails of an address, but not those of a trusted device.
  const onlyForDevice = allowance.kind === 'allowed' ? null : deviceCookie;
  return { kind: 'admitted', to, isSilent: allowance.kind !== 'allowed' && onlyForDevice === null, onlyForDevice };
}

/** Only an address has an "@". @returns null: no username that a page could show. */
function readUsername(typed: string | null): string | null {
  const username = (typed ?? '').trim();
  const isUsername = isChosenUsername(username) && !username.includes('@');
  return isUsername ? username : null;
}

export async function isAllowedByDevice(
  deps: Pick<LinkDeps, 'knownDeviceOf'> & Parameters<typeof allowMailToKnownDevice>[0],
  user: RegisteredUser,
  deviceCookie: string,
): Promise<boolean> {
  const device = deps.knownDeviceOf?.(deviceCookie, user) ?? null;
  return device !== null && allowMailToKnownDevice(deps, { userId: user.id, device });
}

/**
 * For the queue of mails. Safe to repeat: each mail has an active link, and the use of one ends the others. @throws
 * StoreUnavailable, Unavailable
 */
export async function sendResets(
  deps: LinkDeps,
  { to, languages, onlyForDevice }: Extract<MailsWanted, { kind: 'reset_wanted' }>,
): Promise<void> {
  const named = await deps.accounts.named(to);
  const withAddress = readAddress(to) === null ? [] : await deps.accounts.withAddress(to, MAX_ACCOUNTS);
  const all = [...withAddress, ...(named === null || withAddress.some(({ id }) => id === named.id) ? [] : [named])];
  for (const user of all) {
    const own = addressOf(user);
    // To the address in its stored form, never to another spelling.
    if (own === null || !own.isVerified || user.disabledAt !== null) continue;
    // The request counted the username, and not yet the address.
    if (user === named && onlyForDevice === null && addressKey(own.address) !== addressKey(to)) {
      if (!(await allowMailToAddress(deps, own.address))) continue;
    }
    if (onlyForDevice !== null && !(await isAllowedByDevice(deps, user, onlyForDevice))) continue;
    await mailLink(deps, user, { purpose: 'reset_password', address: own.address }, languages);
  }
}

async function mailLink(
  deps: LinkDeps,
  user: RegisteredUser,
  {
    purpose,
    address,
  }: { readonly purpose: 'reset_password' | 'verify_address' | 'change_address'; readonly address: string },
  languages: readonly string[],
): Promise<LinkMailed> {
  const link = await createLink(deps, { purpose, address, userId: user.id, resumption: null });
  if (link === null) return 'refused';
  return (await send(deps, user, { purpose, address }, link, languages)) ? 'sent' : 'queueFull';
}

/** `refused`: by the machine of the link. */
type LinkMailed = 'sent' | 'refused' | 'queueFull';

type Mailed = {
  readonly purpose: 'reset_password' | 'verify_address' | 'change_address' | 'lost_factors';
  readonly address: string;
};

const send = (
  { outbox }: LinkDeps,
  user: RegisteredUser,
  { purpose, address }: Mailed,
  { url }: SentLink,
  languages: readonly string[],
): Promise<boolean> =>
  outbox.send({
    to: address,
    userId: user.id,
    languages: languagesOf(user, languages),
    timeZone: timeZoneOf(user),
    content: contentOf(user, purpose, { link: url, lifetimeSeconds: LINK_LIFETIME_SECONDS[purpose] }),
  });

const contentOf = (
  { username }: RegisteredUser,
  kind: Mailed['purpose'],
  link: { readonly link: string; readonly lifetimeSeconds: number },
): MailContent =>
  kind === 'verify_address' || kind === 'change_address' ? { kind, ...link } : { kind, username, ...link };

export type AddressAsked =
  | { readonly kind: 'sent'; readonly address: string }
  | { readonly kind: 'addressRefused' | 'sameAddress' | 'noAddress' | 'alreadyVerified' | 'refused' }
  | NotMailed;

/** The end-user asks to verify the address of the account. @throws StoreUnavailable, Unavailable */
export async function askForVerification(deps: LinkDeps, userId: string, asker: Asker): Promise<AddressAsked> {
  const user = await deps.accounts.find(userId);
  const own = user === null ? null : addressOf(user);
  if (user === null || own === null) return { kind: 'noAddress' };
  if (own.isVerified) return { kind: 'alreadyVerified' };
  return mailToAccount(deps, user, 'verify_address', own.address, asker);
}

/** The end-user asks for another address, which applies once its link is used. @throws StoreUnavailable, Unavailable */
export async function askForChange(
  deps: LinkDeps,
  userId: string,
  typed: string | null,
  asker: Asker,
): Promise<AddressAsked> {
  const address = readAddress(typed);
  if (address === null) return { kind: 'addressRefused' };
  const user = await deps.accounts.find(userId);
  if (user === null) return { kind: 'refused' };
  const own = addressOf(user);
  if (own !== null && addressKey(own.address) === addressKey(address))
    return own.isVerified ? { kind: 'sameAddress' } : mailToAccount(deps, user, 'verify_address', own.address, asker);
  return mailToAccount(deps, user, 'change_address', address, asker);
}

const retryAfter = (allowance: Exclude<MailAllowance, { readonly kind: 'allowed' }>): number =>
  'retryAfterSeconds' in allowance ? allowance.retryAfterSeconds : 3600;

async function mailToAccount(
  deps: LinkDeps,
  user: RegisteredUser,
  purpose: 'verify_address' | 'change_address',
  address: string,
  { network, languages }: Asker,
): Promise<AddressAsked> {
  const allowance = await allowMail(deps, { address, network });
  if (allowance.kind !== 'allowed') return { kind: 'throttled', retryAfterSeconds: retryAfter(allowance) };
  const mailed = await mailLink(deps, user, { purpose, address }, languages);
  if (mailed === 'queueFull') return QUEUE_FULL;
  return mailed === 'sent' ? { kind: 'sent', address } : { kind: 'refused' };
}

export type LostAsked =
  /**
   * `passwordNotShown`: the session may come from a federated or delegated sign-in, whose password is not this
   * server's.
   */
  { readonly kind: 'sent' | 'noAddress' | 'passwordFromMail' | 'passwordNotShown' | 'refused' } | NotMailed;

/**
 * The end-user has lost every passkey, app and recovery code. Only a browser in which the password was right gets here.
 * @throws StoreUnavailable, Unavailable
 */
export async function askAboutLostFactors(
  deps: LinkDeps & SignsInElsewhere,
  userId: string,
  { network, languages }: Asker,
): Promise<LostAsked> {
  const user = await deps.accounts.find(userId);
  const own = user === null ? null : addressOf(user);
  if (user === null || own === null || !own.isVerified) return { kind: 'noAddress' };
  if (await deps.signsInElsewhere(userId)) return { kind: 'passwordNotShown' };
  const { address } = own;
  const allowance = await allowMail(deps, { address, network });
  if (allowance.kind !== 'allowed') return { kind: 'throttled', retryAfterSeconds: retryAfter(allowance) };
  const about = { purpose: 'lost_factors', address, userId, resumption: null } as const;
  const outcome = await tryToCreateLink(deps, about, { passwordIsProven: true });
  if (outcome.kind === 'rejected')
    return { kind: outcome.reason === 'password_from_mail' ? 'passwordFromMail' : 'refused' };
  return (await send(deps, user, about, outcome, languages)) ? { kind: 'sent' } : QUEUE_FULL;
}

/**
 * Whether the end-user may ask for a link about lost factors. The page must not offer a request that always fails.
 * @throws StoreUnavailable
 */
export async function mayRecoverByMail(
  deps: Pick<LinkDeps, 'accounts'> & SignsInElsewhere,
  userId: string,
): Promise<boolean> {
  const own = await addressOfAccount(deps, userId);
  return own?.isVerified === true && !(await deps.signsInElsewhere(userId));
}

/** The address on the account's page. @throws StoreUnavailable */
export async function addressOfAccount(
  deps: Pick<LinkDeps, 'accounts'>,
  userId: string,
): Promise<{ readonly address: string; readonly isVerified: boolean } | null> {
  const user = await deps.accounts.find(userId);
  return user === null ? null : addressOf(user);
}
