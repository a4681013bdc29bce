/** What an app may do, in the same words at consent and on the page of permissions. */
export const access = {
  /** The scopes of OpenID Connect, which no configuration describes. */
  standard: {
    openid: 'know that it is you',
    profile: 'see your name and profile',
    email: 'see your email address',
    address: 'see your postal address',
    phone: 'see your phone number',
  },
  /** For a scope that nobody has described. */
  use: (scope: string) => `use “${scope}”`,
  whileAway: 'It can go on while you are away. You can end that at any time.',
  notWhileAway: 'It cannot go on while you are away: what it holds ends by itself within the hour.',
  /** @param scheme such as "com.example.app:". */
  appOnThisDevice: (scheme: string) => `an app on this device (${scheme})`,
};
