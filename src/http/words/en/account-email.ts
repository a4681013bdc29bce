/** The section of the account about the e-mail address. */
export const accountEmail = {
  none: 'Your account has no e-mail address. Without it, nobody can help you when you forget your password.',
  isVerified: (address: string) => `${address} is your address, and it is confirmed.`,
  isNotVerified: (address: string) =>
    `${address} is your address, but it is not confirmed: it does not help you when you forget your password.`,
  verify: 'Send a mail to confirm it',
  changeTitle: 'Another address',
  changeAbout:
    'A mail with a link goes to the new address. It counts once you have opened the link and pressed the button there. A mail to the address from before can undo that for a week.',
  newAddress: 'New e-mail address',
  change: 'Send the mail',
  sent: 'A mail is on its way. Open the link in it.',
  problems: {
    addressRefused: 'This is no e-mail address. Check it and try again.',
    sameAddress: 'This is your address already.',
    alreadyVerified: 'Your address is confirmed already.',
    noAddress: 'Your account has no address that could be confirmed.',
    refused: 'That was not possible. Try again.',
    throttled: 'You have asked for many mails. Wait an hour, then try again.',
    queueFull:
      'Many mails wait to be sent, and yours found no place: nothing was sent. Wait some minutes, then try again.',
  },
};
