/** The pages of a sign-out. */
export const logout = {
  ask: {
    title: 'Sign out?',
    clientAsks: (client: string) => `${client} asks to end your session.`,
    signedInAs: (username: string) => `You are signed in here as ${username}.`,
    sentTo: (destination: string) => `Afterwards you will be sent to ${destination}.`,
    signOut: 'Sign out',
    stay: 'Stay signed in',
  },
  /** A sign-out ends the session of this browser; a grant ends only by revocation. */
  endsNothingAllowed: 'Signing out ends nothing that you have allowed apps to do.',
  seeAllowed: 'See what you have allowed',
  signedOut: {
    title: 'Signed out',
    heading: 'You are signed out',
    what: 'Your session in this browser has ended. Apps keep sessions of their own: sign out of those too.',
  },
  notSignedIn: {
    title: 'Not signed in',
    heading: 'You are not signed in here',
    what: 'This browser has no session at this server, so there is nothing to end.',
  },
  stillSignedIn: {
    title: 'Still signed in',
    heading: 'You are still signed in',
    what: (username: string) => `Nothing has changed: you are signed in here as ${username}.`,
    back: (client: string) => `Go back to ${client}`,
  },
  refused: {
    title: 'This sign-out cannot be done',
    notSent: 'For your safety you are not sent anywhere, and you are signed in or out as before.',
    allTheSame: 'To end your session at this server all the same:',
    signOutHere: 'sign out here',
    yours: 'If the app is yours, compare its settings with its registration; the log of this server has the details.',
    /** By the reasons of the refusal. */
    reasons: {
      malformed_request: 'What the app sent is repeated or malformed.',
      id_token_hint_unknown:
        'The app sent an ID Token (id_token_hint) that this server did not make, or cannot check any more.',
      client_mismatch: 'The app named itself (client_id) otherwise than in the ID Token that it sent (id_token_hint).',
      client_unknown: 'No app is registered here under the client_id that was sent.',
      client_missing:
        'The app asks for the browser back (post_logout_redirect_uri), and did not say who it is: that takes id_token_hint or client_id.',
      post_logout_redirect_uri_mismatch:
        'The app asks for the browser back at an address that is not registered for it.',
    },
  },
};
