const waitOf = (seconds: number): string =>
  seconds === 1 ? 'a second' : seconds <= 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;

/** The page that asks who somebody is, and what it says when a sign-in is refused. */
export const signIn = {
  title: 'Sign in',
  titleAfterProblem: 'Sign in: not yet',
  forClient: (client: string) => `to continue to ${client}`,
  forAccount: 'to your account',
  again:
    'Sign in again to go on. Your sign-in was a while ago, and the next page can change who gets into your account.',
  goOnAs: (username: string) => `Continue as ${username}`,
  orAsAnother: 'Or as another person',
  username: 'Username',
  password: 'Password',
  submit: 'Sign in',
  refused: {
    incomplete: 'Type your username and your password.',
    mismatch: 'Username or password is not right. Check both and try again.',
    throttled: (seconds: number) => `Too many failed attempts. Wait ${waitOf(seconds)}, then try again.`,
    passkey: 'This passkey was not accepted. Try again, or sign in with your password.',
    busy: 'Many people are signing in right now, so your password was not checked. Wait a moment, then try again.',
  },
};
