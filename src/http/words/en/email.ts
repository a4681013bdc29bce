/** The pages around links in mails: asking for them, and opening them. */
export const email = {
  address: 'E-mail address',
  username: 'Username',
  password: 'New password',
  passwordHint: (atLeast: number) => `At least ${atLeast} characters. Long is good: a few words that you remember.`,
  toSignIn: 'To the sign-in',
  addressRefused: 'This is no e-mail address. Check it and try again.',
  throttled: 'Your network has asked for many mails. Wait an hour, then try again.',
  queueFull:
    'Many mails wait to be sent, and yours found no place: nothing was sent. Wait some minutes, then try again.',
  asked: {
    title: 'Look into your mailbox',
    /** The same for every address. */
    reset: 'If an account has this e-mail address, a mail with a link is on its way. The link works for half an hour.',
    signUp: 'A mail is on its way to this address. It says what comes next.',
    nothingCame:
      'If no mail comes: look into the folder for unwanted mail, check the address, and ask again in a while.',
  },
  forgot: {
    link: 'Forgot your password?',
    title: 'Forgot your password?',
    about: 'Type the e-mail address of your account. You get a mail with a link, and choose a new password there.',
    submit: 'Send the mail',
  },
  signUp: {
    link: 'Create an account',
    title: 'Create an account',
    about: 'Type your e-mail address. You get a mail with a link, and choose your username and password there.',
    submit: 'Send the mail',
  },
  lostFactors: {
    link: 'Lost all of these?',
    title: 'Lost your second factor?',
    about:
      'If you still have a recovery code, use it to sign in. If you have nothing left, you get a mail with a link. It removes your passkeys, authenticator apps and recovery codes, and signs you out everywhere. Open it in this browser.',
    submit: 'Send the mail',
    asked:
      'A mail with a link is on its way to the address of your account. The link works for half an hour, in this browser.',
    problems: {
      noAddress: 'Your account has no confirmed e-mail address. Ask an administrator.',
      passwordNotShown:
        'You can also sign in through another service, so this server cannot tell that you typed your password here. Use a recovery code, or ask an administrator.',
      passwordFromMail:
        'Your password was set by a link in a mail, so mail alone would remove your second factor. Use a recovery code, or ask an administrator.',
      refused: 'No mail was sent. Sign in again, then try again.',
    },
  },
  purposes: {
    verify_address: {
      title: 'Confirm your e-mail address',
      about: (username: string, address: string) => `${address} is the address of the account ${username}.`,
      submit: 'This is my address',
      done: 'Thank you. The address is confirmed.',
    },
    reset_password: {
      title: 'Choose a new password',
      about: (username: string, _address: string) =>
        `For the account ${username}. Everybody who is signed in to it will be signed out.`,
      submit: 'Set the password',
      done: 'You have a new password. Sign in with it.',
    },
    change_address: {
      title: 'Confirm your new e-mail address',
      about: (username: string, address: string) => `${address} becomes the address of the account ${username}.`,
      submit: 'This is my address',
      done: 'Your account has the new address now. A mail about this goes to the address from before.',
    },
    undo_change: {
      title: 'Bring your e-mail address back',
      about: (username: string, address: string) =>
        `The account ${username} gets the address ${address} again. Everybody who is signed in to it will be signed out.`,
      submit: 'Bring the address back',
      done: 'The address is back, and everybody was signed out. Somebody else may know your password: choose a new password now.',
    },
    lost_factors: {
      title: 'Remove what you have lost',
      about: (username: string, _address: string) =>
        `Every passkey, authenticator app and recovery code of the account ${username} is removed, and everybody who is signed in to it is signed out.`,
      submit: 'Remove them',
      done: 'They are removed. Sign in with your password, then add a new passkey or authenticator app.',
    },
    sign_up: {
      title: 'Create your account',
      about: (_username: string, address: string) => `With the e-mail address ${address}.`,
      submit: 'Create the account',
      done: 'Your account is there.',
    },
    invitation: {
      title: 'Create your account',
      about: (_username: string, address: string) => `With the e-mail address ${address}.`,
      submit: 'Create the account',
      done: 'Your account is there.',
    },
  },
  problems: {
    incomplete: 'Fill in every field.',
    usernameRefused: 'This username cannot be used. Take one with at most 256 letters, digits or signs.',
    usernameMixesScripts:
      'This username has letters of several alphabets, which could pass for another. Take letters of one alphabet.',
    usernameTaken: 'Somebody else has this username. Choose another.',
    busy: 'There is much to do right now. Wait a moment, then try again.',
  },
  /** Above what a link has done. */
  doneTitle: 'Done',
  useless: {
    title: 'This link does nothing',
    link_unknown: 'It is not complete, or it is too old to be known. Open it again as it stands in the mail.',
    link_expired: 'Its time is over. Ask for another mail.',
    link_used: 'It was used already, and works only once.',
    link_superseded: 'Another link was used, newer links were sent, or this link was taken back. Use the newest mail.',
    password_changed: 'The password was changed since the mail was sent. Ask for another mail.',
    address_mismatch: 'The account has another e-mail address by now.',
    user_ended: 'There is no account that could be changed.',
    not_offered: 'It is not offered here at the moment.',
    password_from_mail:
      'Your password was set by a link in a mail, so mail alone would remove your second factor. Use a recovery code, or ask an administrator.',
    password_not_proven: 'Sign in with your password in this browser first. Then open the link from the mail again.',
    username_taken: 'Somebody else has this username.',
  },
};
