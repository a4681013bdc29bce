/** Signing in at another place: the buttons, what goes wrong there, and the accounts that are linked. */
export const externalSignIn = {
  or: 'Or',
  continueWith: (label: string) => `Continue with ${label}`,
  back: 'Back to the sign-in',
  backToAccount: 'Back to your account',
  problems: {
    unknown: {
      title: 'This sign-in is not known',
      what: 'It does not exist, or it was cleaned away some time ago. Nobody was signed in.',
    },
    expired: { title: 'This took too long', what: 'The sign-in was open for longer than it may be. Begin again.' },
    anotherBrowser: {
      title: 'This sign-in began in another browser',
      what: 'A sign-in can only end in the browser in which it began. If you did not begin it here, somebody may have tried to sign you in as somebody else. Nobody was signed in.',
    },
    answered: {
      title: 'Already answered',
      what: 'This answer was here before, and it counts once. Nobody was signed in by it again.',
    },
    unanswered: {
      title: 'Nobody has signed in yet',
      what: 'The other page has not said who you are. Sign in there first.',
    },
    overtaken: {
      title: 'You have signed in since',
      what: 'You began another sign-in after this one, and it has succeeded. This one does not count any more.',
    },
    denied: {
      title: 'You did not sign in',
      what: 'The other page says that nobody signed in, so nobody was signed in here.',
    },
    notAdmitted: {
      title: 'This account may not come in',
      what: 'You signed in there, but this server does not take that account. Sign in there with another, or ask the people who run this server.',
    },
    nobodyLinked: {
      title: 'This account is not linked to any account here',
      what: 'Sign in here in another way. Then link the account on the page of your account, and next time it signs you in.',
    },
    linkedElsewhere: {
      title: 'This account is linked to somebody else',
      what: 'It signs in another person here, and one account signs in one person. Nothing was changed.',
    },
    userEnded: {
      title: 'You cannot sign in here',
      what: 'Your account here was disabled. Ask the people who run this server.',
    },
    tooOld: {
      title: 'The other page did not ask you again',
      what: 'The app wants you to sign in anew, and the other page says that you signed in before, or does not say when.',
    },
    unreachable: {
      title: 'The other page cannot be reached',
      what: 'It does not answer, or not in time. Nothing was changed. Try again in a moment, or sign in in another way.',
    },
    invalid: {
      title: 'The other page gave an answer that cannot be trusted',
      what: 'It did not prove who you are, so nobody was signed in. Try again. If it happens again, tell the people who run this server.',
    },
    refused: {
      title: 'The other page did not let you in',
      what: 'It refused the sign-in. Try again, or sign in in another way.',
    },
    off: {
      title: 'This way to sign in is not there any more',
      what: 'It was taken away in the meantime. Sign in in another way.',
    },
    throttled: {
      title: 'Too many sign-ins',
      what: 'Too many sign-ins were begun from your network. Wait a few minutes, then try again.',
    },
  },
  linked: {
    none: 'No account is linked.',
    intro: 'Accounts elsewhere with which you can sign in here.',
    since: (date: string) => `linked on ${date}`,
    remove: (label: string) => `Remove ${label}`,
    link: (label: string) => `Link ${label}`,
    linkIntro: 'To link another account, sign in there now.',
    justLinked: 'The account is linked. It signs you in from now on.',
    justRemoved: 'The account was removed. It does not sign you in any more.',
    unknown: 'This account is not linked any more.',
    lastWay: 'You cannot remove the last way to sign in. Set a password or link another account first.',
  },
};
