/** Where the end-user is signed in. */
export const accountDevices = {
  stays:
    'Apps that you have allowed go on when you sign out somewhere; end their access under “What you have allowed”.',
  thisBrowser: '(this browser)',
  /** `signedIn` and `lastUsed` are instants. */
  signedIn: (signedIn: string, how: string, lastUsed: string) =>
    `Signed in on ${signedIn} with ${how}, last used on ${lastUsed}.`,
  signOutHere: 'Sign out here',
  /** Of a browser that has told no name. */
  signOutThere: 'Sign out there',
  signOutOf: (browser: string) => `Sign out of ${browser}`,
  endOthers: 'Sign out everywhere else',
  endOthersAbout: 'Every browser but this one has to sign in again.',
  done: {
    one: 'Signed out there. That browser has to sign in again.',
    others: 'Signed out everywhere else. Only this browser is signed in.',
  },
  /** By the names of RFC 8176. */
  methods: {
    pwd: 'a password',
    otp: 'a one-time code',
    hwk: 'a passkey',
    swk: 'a passkey',
    pop: 'a passkey',
    fed: 'another provider',
    kba: 'answers to questions',
    sms: 'a text message',
  },
  /** There is a name in `amr` that is not listed, or none. */
  anotherWay: 'another way of signing in',
};
