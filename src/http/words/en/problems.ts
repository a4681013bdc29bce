/** The pages that say what went wrong, why, and what to do next. */
export const problems = {
  unavailable: {
    title: 'Not available right now',
    what: 'The database of this server is not available, so nothing was changed.',
    next: 'Wait a moment, then reload this page.',
  },
  overloaded: {
    title: 'Too busy right now',
    what: 'This server has as many requests as it can work on, so nothing was changed.',
    next: 'Wait a moment, then reload this page.',
  },
  commitUnknown: {
    title: 'Not sure whether that worked',
    what: 'The server lost its database while it answered, so it cannot know whether your change was made.',
    next: 'Wait a moment, then open the page again and look.',
  },
  failed: {
    title: 'Something went wrong here',
    what: 'The server failed to answer. The operator finds the reason in the log.',
    next: 'Go back to the app and try again.',
  },
  unreadable: {
    title: 'This request cannot be read',
    what: 'What the browser sent is not what this page expects.',
    next: 'Go back to the app and start again.',
  },
  notFound: {
    title: 'There is nothing here',
    what: 'This server has no page under this address.',
    next: 'Check the address, or go back to the app that sent you.',
  },
  formRefused: {
    title: 'This form cannot be accepted',
    what: 'It was not made by this server for this browser and this session, or it was changed on the way. Nothing happened.',
    next: 'Allow cookies for this site, go back, reload the page, and try again.',
  },
  signOutFormRefused: {
    title: 'This form cannot be accepted',
    what: 'It was not made by this server for this browser and this session, or it was changed on the way. Nothing happened.',
    next: 'Go back to the app and sign out from there, or reload the page that asked.',
  },
  shownLocally: {
    title: 'This app asked for something that it cannot have',
    what: 'It registered itself here, and nobody has checked where it would send you, so you stay here. What was wrong:',
    next: 'Go back to the app. If it is yours, compare its request with its registration.',
  },
};
