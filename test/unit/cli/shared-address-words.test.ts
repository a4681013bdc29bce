/** The warnings of `check` about verified addresses of several end-users. */
import { expect, it } from 'vitest';
import { sharedAddressWarnings } from '../../../src/cli/shared-address-words.ts';

it.each([
  [
    { usernames: ['ada', 'ben'], named: null },
    '"ada", "ben" have the same verified e-mail address; "ada" signs in by it, "ben" signs in by the username alone',
  ],
  [
    { usernames: ['ada', 'ben', 'cy'], named: null },
    '"ada", "ben", "cy" have the same verified e-mail address; "ada" signs in by it, "ben", "cy" sign in by their usernames alone',
  ],
  [
    { usernames: ['ada'], named: 'x@example.org' },
    'the verified e-mail address of "ada" is the username of "x@example.org"; "ada" signs in by the username alone',
  ],
])('%j is said in words, where addresses identify', (shared, words) => {
  for (const identifiers of ['both', 'email'] as const)
    expect(sharedAddressWarnings({ identifiers }, [shared])).toEqual([`sign-in.yaml: identifiers: ${words}`]);
  expect(sharedAddressWarnings({ identifiers: 'username' }, [shared])).toEqual([]);
});
