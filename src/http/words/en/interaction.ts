/** Why a sign-in cannot go on. The keys are the reasons of its refusal. */
export const interaction = {
  interaction_unknown: {
    title: 'This sign-in is not known',
    what: 'It does not exist, or it was cleaned away some time ago.',
    next: 'Go back to the app and start again.',
  },
  another_browser: {
    title: 'This page belongs to another browser',
    what: 'A sign-in can only go on in the browser in which it began, and that browser keeps a cookie for it. This one sent none, or another.',
    next: 'Allow cookies for this site, go back to the app, and start again.',
  },
  form_refused: {
    title: 'This form cannot be accepted',
    what: 'It was not made by this server for this browser, or it was changed on the way. Nothing happened.',
    next: 'Go back to the app and start again.',
  },
  interaction_expired: {
    title: 'This took too long',
    what: 'The sign-in was open for longer than it may be, so it has ended.',
    next: 'Go back to the app and start again.',
  },
  interaction_completed: {
    title: 'Already answered',
    what: 'You have answered this request before, and that answer stays.',
    next: 'Go back to the app. If it does not let you in, start again from there.',
  },
  client_ended: {
    title: 'This app is no longer registered',
    what: 'The app that sent you was removed, or all of its access was ended, while this page was open.',
    next: 'Go back to the app and start again, or ask its makers.',
  },
};
