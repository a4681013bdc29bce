/** The texts of the account. */
export const account = {
  title: 'Your account',
  navigation: 'Sections of your account',
  overview: 'Overview',
  signedInAs: (username: string) => `Signed in as ${username}.`,
  signOut: 'Sign out',
  sections: {
    devices: {
      title: 'Where you are signed in',
      about: 'The browsers in which you are signed in, and how to sign out of each.',
    },
    password: { title: 'Password', about: 'Choose a new password.' },
    data: { title: 'Your data', about: 'Download everything that is stored here about you.' },
    delete: { title: 'Delete your account', about: 'Erase your account and everything that names you.' },
    'linked-identities': {
      title: 'Linked accounts',
      about: 'Accounts elsewhere with which you sign in here, and how to add and remove them.',
    },
    'sign-in-methods': { title: 'How you sign in', about: 'Your passkeys, authenticator apps and recovery codes.' },
    apps: { title: 'What you have allowed', about: 'The apps that may act for you, and how to end their access.' },
    email: { title: 'E-mail address', about: 'Your e-mail address: confirm it, or take another.' },
  },
  data: {
    what: 'Everything that is stored here about you, as a file (JSON): your record, where you are signed in, what you have allowed, and what was decided about it. Passwords and keys are not in it: they are stored so that nobody can read them.',
    submit: 'Download my data',
  },
  delete: {
    what: 'This erases your account: your username, your password, and what apps could learn about you. You are signed out everywhere, and every app loses its access. It cannot be undone.',
    kept: 'What is kept for some time, for the security of the service, no longer names you. Apps keep what they have stored themselves: ask them to delete it too.',
    typeUsername: (username: string) => `To confirm, type your username: ${username}`,
    usernameDiffers: 'That is not your username. Nothing was deleted.',
    isAdministrator:
      'You administer this server, so your account cannot be deleted here: the next person with your username would get your rights. Have your name taken out of operators.yaml first.',
    submit: 'Delete my account',
    doneTitle: 'Your account is deleted',
    done: 'Nothing here names you any more, and you are signed out everywhere.',
    home: 'To the start page',
  },
  password: {
    ends: 'A new password signs you out everywhere but here, and ends the access of every app that you have allowed.',
    current: 'Your password now',
    chosen: 'New password',
    repeated: 'New password, once more',
    submit: 'Change the password',
    changed: 'Your password is changed. Only this browser is signed in, and every app has to ask you again.',
    problems: {
      too_short: (atLeast: number) => `The new password is too short: it needs at least ${atLeast} characters.`,
      too_long: (atMost: number) => `The new password is too long: it may have at most ${atMost} characters.`,
      repetitive: (atLeast: number) => `The new password needs at least ${atLeast} different characters.`,
      not_text: 'The new password has a character that cannot be used.',
      names_the_user: 'The new password is made of your name. Choose something that nobody guesses.',
      names_the_service: 'The new password is the name of this service. Choose something that nobody guesses.',
      common: 'The new password is one that many people use, so it is guessed first. Choose another.',
      guessable:
        'The new password is soon guessed: it is close to common passwords, your name, a pattern of the keyboard or a repetition. Choose a few words that do not belong together.',
      breached:
        'The new password is in a list of passwords that were stolen elsewhere. Choose another, and change it there too.',
      form_incomplete: 'Fill in every field.',
      repetition_differs: 'The new password is not the same in both fields. Type it again.',
      same_as_before: 'That is the password that you have already. Choose another.',
      current_is_wrong: 'The password that you have now is not right. Nothing was changed.',
    },
  },
};
