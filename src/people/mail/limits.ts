/**
 * The number of mails that a stranger may cause, to one address and from one network. The server counts before it looks
 * up accounts.
 */
import { domainToASCII } from 'node:url';
import { hmacSha256 } from '../../crypto/digest.ts';
import type { RootKeys } from '../../crypto/root-secret.ts';
import { networksOf } from '../../model/networks.ts';
import { addressKey } from '../../model/user.ts';

const WINDOW_SECONDS = 3600;
/** Enough links for any user, and a bound on unrequested mails. */
const MAILS_PER_ADDRESS = 5;
/** The addresses of one mailbox together: `ada+a@example.com` and `ada+b@example.com` reach the same owner nearly everywhere. */
const MAILS_PER_MAILBOX = 20;
/** For a network, such as a household or an office. */
const MAILS_PER_NETWORK = 50;

export type MailLimitDeps = {
  readonly keys: RootKeys;
  readonly mailCounts: {
    /** Counts one mail under each key. @returns the counts of the running window, in the order of the keys. */
    readonly count: (keyHashes: readonly Buffer[], windowSeconds: number) => Promise<readonly number[]>;
  };
};

export type MailAllowance =
  | { readonly kind: 'allowed' }
  /** The address has reached its limit. The server sends no mail, and a stranger gets the usual answer. */
  | { readonly kind: 'addressIsFull' }
  | { readonly kind: 'networkIsFull'; readonly retryAfterSeconds: number };

/** The limit of a trusted device, which strangers cannot use up. @throws StoreUnavailable */
export async function allowMailToKnownDevice(
  { keys, mailCounts }: MailLimitDeps,
  { userId, device }: { readonly userId: string; readonly device: string },
): Promise<boolean> {
  const [ofDevice = 0] = await mailCounts.count([keyOf(keys, 'device', device, userId)], WINDOW_SECONDS);
  return ofDevice <= MAILS_PER_ADDRESS;
}

/** The limit of one address, where the request named it in another way. @throws StoreUnavailable */
export async function allowMailToAddress({ keys, mailCounts }: MailLimitDeps, address: string): Promise<boolean> {
  return !isFull(await mailCounts.count(keysOfAddress(keys, address), WINDOW_SECONDS));
}

const keyOf = (keys: RootKeys, ...parts: string[]): Buffer =>
  hmacSha256(keys.first.key('throttle'), ['mail', ...parts].join('\n'));
const keysOfAddress = (keys: RootKeys, address: string) =>
  [keyOf(keys, 'address', addressKey(address)), keyOf(keys, 'mailbox', mailboxOf(address))] as const;
const isFull = ([ofAddress = 0, ofMailbox = 0]: readonly number[]): boolean =>
  ofAddress > MAILS_PER_ADDRESS || ofMailbox > MAILS_PER_MAILBOX;

/** Without a sub-address, and with the domain as mail servers write it. For counting alone. */
function mailboxOf(address: string): string {
  const [local = '', domain = ''] = addressKey(address.normalize('NFKC')).split('@');
  return `${local.replace(/(?<=.)[+].*/, '')}@${domainToASCII(domain) || domain}`;
}

/**
 * @param network the throttle key of the sender. Addresses that count as one sender share it. @throws StoreUnavailable
 */
export async function allowMail(
  { keys, mailCounts }: MailLimitDeps,
  { address, network }: { readonly address: string; readonly network: string },
): Promise<MailAllowance> {
  const networks = networksOf(network);
  const [ofAddress = 0, ofMailbox = 0, ...ofNetworks] = await mailCounts.count(
    [...keysOfAddress(keys, address), ...networks.map((one) => keyOf(keys, 'network', one.key))],
    WINDOW_SECONDS,
  );
  if (networks.some(({ times }, at) => (ofNetworks[at] ?? 0) > MAILS_PER_NETWORK * times))
    return { kind: 'networkIsFull', retryAfterSeconds: WINDOW_SECONDS };
  return isFull([ofAddress, ofMailbox]) ? { kind: 'addressIsFull' } : { kind: 'allowed' };
}
