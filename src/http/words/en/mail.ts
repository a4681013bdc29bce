/**
 * The texts of mails, by what they are about. A link stands on a line of its own after `before`. A paragraph is told the username,
 * the instant and the browser; of `has_account` the usernames, and where to go for a new password.
 */
export type MailText = {
  readonly subject: string;
  readonly before: readonly Paragraph[];
  readonly after: readonly Paragraph[];
};
export type Paragraph = string | ((first: string, second: string, third: string) => string);

type Kind =
  | 'verify_address'
  | 'reset_password'
  | 'change_address'
  | 'address_changed'
  | 'sign_up'
  | 'invitation'
  | 'has_account'
  | 'new_device'
  | 'password_changed'
  | 'passkey_added'
  | 'passkey_removed'
  | 'second_factor_added'
  | 'second_factor_removed'
  | 'lost_factors'
  | 'factors_removed'
  | 'identity_removed'
  | 'address_restored';

type MailWords = {
  readonly greeting: (username: string) => string;
  readonly greetingWithoutName: string;
  /** @param duration such as "30 minutes". */
  readonly goodFor: (duration: string) => string;
  /** @param server the name of its host. */
  readonly footer: (server: string) => string;
  readonly contents: Readonly<Record<Kind, MailText>>;
};

export const mail: MailWords = {
  greeting: (username: string) => `Hello ${username},`,
  greetingWithoutName: 'Hello,',
  goodFor: (duration: string) => `The link works once, and for ${duration}.`,
  footer: (server: string) =>
    `This mail was sent by ${server} because of what is said above. Nobody reads answers to it.`,
  contents: {
    verify_address: {
      subject: 'Is this your e-mail address?',
      before: ['Open this link and press the button there, so that we know that this address is yours:'],
      after: ['If you did not ask for this, you need not do anything.'],
    },
    reset_password: {
      subject: 'A new password',
      before: [
        (username) =>
          `Somebody asked for a new password for the account ${username}. If it was you, open this link and choose the password there:`,
      ],
      after: [
        'If it was not you, you need not do anything: your password stays as it is, and nobody learns from this whether you have an account.',
      ],
    },
    lost_factors: {
      subject: 'A lost second factor',
      before: [
        (username) =>
          `Somebody who knows the password of the account ${username} says that they have lost the passkeys, the authenticator app and the recovery codes. If it was you, open this link in the browser that asked, and press the button there:`,
      ],
      after: [
        'If it was not you, do not open the link: somebody knows your password. Sign in, and change it in your account.',
      ],
    },
    change_address: {
      subject: 'Your new e-mail address',
      before: [
        'An account is to have this e-mail address. Open this link: the page says which account. If it is yours, press the button there:',
      ],
      after: ['If you did not ask for this, you need not do anything: the account keeps the address that it has.'],
    },
    address_changed: {
      subject: 'Your e-mail address was changed',
      before: [
        (username) =>
          `The account ${username} has another e-mail address now. If it was you, you need not do anything.`,
        'If it was not you, open this link and press the button there. It brings this address back and signs out everybody who is signed in; then choose a new password:',
      ],
      after: [],
    },
    sign_up: {
      subject: 'Your new account',
      before: ['Open this link to make your account. You choose your username and password there:'],
      after: ['If you did not ask for this, you need not do anything: without the link there is no account.'],
    },
    invitation: {
      subject: 'You are invited',
      before: [
        'An administrator invites you to make an account. Open this link; you choose your username and password there:',
      ],
      after: ['If you do not want an account, you need not do anything.'],
    },
    has_account: {
      subject: 'You have an account already',
      before: [
        (usernames) =>
          `Somebody wanted to make an account with this e-mail address. There is one already: ${usernames}. You can sign in here:`,
      ],
      after: [
        (_usernames, forgot) => `If you forgot the password:\n${forgot}`,
        'If it was not you, you need not do anything.',
      ],
    },
    new_device: {
      subject: 'A sign-in from a new device',
      before: [
        (username, at, browser) =>
          `Somebody signed in as ${username} on ${at}, with ${browser}, in which you had not signed in before.`,
        'If it was you, you need not do anything. If it was not you, end that session here and change your password:',
      ],
      after: [],
    },
    password_changed: {
      subject: 'Your password was changed',
      before: [
        (username, at) =>
          `The account ${username} has had a new password since ${at}. Every device has to sign in with it.`,
        'If it was not you, choose a new password here:',
      ],
      after: [],
    },
    passkey_added: {
      subject: 'A passkey was added',
      before: [
        (username, at) => `A passkey was added to the account ${username} on ${at}. It can be used to sign in.`,
        'If it was not you, choose a new password here, and remove the passkey in your account:',
      ],
      after: [],
    },
    passkey_removed: {
      subject: 'A passkey was removed',
      before: [
        (username, at) =>
          `A passkey of the account ${username} was removed on ${at}. Nobody can sign in with it any more.`,
        'If it was not you, choose a new password here:',
      ],
      after: [],
    },
    second_factor_added: {
      subject: 'A second factor was added',
      before: [
        (username, at) =>
          `A second factor was added to the account ${username} on ${at}. It is asked for at each sign-in.`,
        'If it was not you, choose a new password here, and speak to an administrator:',
      ],
      after: [],
    },
    second_factor_removed: {
      subject: 'A second factor was removed',
      before: [
        (username, at) => `A second factor of the account ${username} was removed on ${at}.`,
        'If it was not you, choose a new password here:',
      ],
      after: [],
    },
    factors_removed: {
      subject: 'Your second factor was removed',
      before: [
        (username, at) =>
          `Every passkey, authenticator app and recovery code of the account ${username} was removed on ${at}, and everybody was signed out.`,
        'If you or an administrator did this, add a new one at your next sign-in. If not, choose a new password here, and speak to an administrator:',
      ],
      after: [],
    },
    identity_removed: {
      subject: 'An account elsewhere was removed',
      before: [
        (username, at) =>
          `An account at another service was removed from the account ${username} on ${at}. Nobody can sign in with it any more.`,
        'If it was not you, and no administrator, choose a new password here:',
      ],
      after: [],
    },
    address_restored: {
      subject: 'Your e-mail address is back',
      before: [
        (username, at) =>
          `The account ${username} has had this e-mail address again since ${at}, and everybody was signed out.`,
        'Somebody else may know your password, so choose a new password here:',
      ],
      after: [],
    },
  },
};
