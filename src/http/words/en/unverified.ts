/** Why an authorization request is answered on a page. The keys are the reasons of the refusal. */
export const unverified = {
  title: 'This app cannot be let in',
  notSent: 'For your safety you are not sent anywhere.',
  next: 'Go back to the app. If it is yours, compare its settings with its registration; the log of this server has the details.',
  reasons: {
    too_many_parameters: (most: string) => `The app sent more than ${most} parameters (invalid_request).`,
    client_id_missing: () => 'The app did not say who it is: client_id is missing.',
    client_id_malformed: () => 'The app did not say clearly who it is: client_id is repeated or malformed.',
    client_unknown: () => 'No app is registered here under the client_id that was sent.',
    redirect_uri_missing: () =>
      'The app did not say where the answer is to go: redirect_uri is missing, and it is always required.',
    redirect_uri_malformed: () =>
      'The app did not say clearly where the answer is to go: redirect_uri is repeated or malformed.',
    redirect_uri_mismatch: () => 'The app asks for the answer at an address that is not registered for it.',
  },
  expected: 'Expected (registered)',
  received: 'Received',
  endsHere: '(ends here)',
};
