/** The warnings about verified addresses that do not identify everyone who has them, for `check`. */
import type { SignInPolicy } from '../../policies/schema.ts';
import { printable } from '../config/shown.ts';
import type { SharedAddress } from '../storage/sign-in-addresses.ts';

/** They name the end-users, and not the address. */
export const sharedAddressWarnings = (
  { identifiers }: Pick<SignInPolicy, 'identifiers'>,
  shared: readonly SharedAddress[],
): string[] => (identifiers === 'username' ? [] : shared.map((one) => `sign-in.yaml: identifiers: ${wordsOf(one)}`));

function wordsOf({ usernames, named }: SharedAddress): string {
  const [first = '', ...others] = usernames.map((username) => `"${printable(username)}"`);
  if (named !== null) {
    const who = others.length === 0 ? `${first} signs` : `${[first, ...others].join(', ')} sign`;
    return `the verified e-mail address of ${[first, ...others].join(', ')} is the username of "${printable(named)}"; ${who} in by the username alone`;
  }
  const alone = others.length === 1 ? 'signs in by the username alone' : 'sign in by their usernames alone';
  return `${[first, ...others].join(', ')} have the same verified e-mail address; ${first} signs in by it, ${others.join(', ')} ${alone}`;
}
