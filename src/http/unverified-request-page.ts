import { firstDifference } from '../oauth/first-difference.ts';
import { MAX_PARAMETERS } from '../oauth/parameters.ts';
import type { UnverifiedRequest } from '../protocol/authorization-request.ts';
import { problemPage } from './views/problem.ts';

const WHAT: Readonly<Record<UnverifiedRequest['reason'], string>> = {
  too_many_parameters: `The app sent more than ${MAX_PARAMETERS} parameters (invalid_request).`,
  client_id_missing: 'The app did not say who it is: client_id is missing.',
  client_id_malformed: 'The app did not say clearly who it is: client_id is repeated or malformed.',
  client_unknown: 'No app is registered here under the client_id that was sent.',
  redirect_uri_missing:
    'The app did not say where the answer is to go: redirect_uri is missing, and it is always required.',
  redirect_uri_malformed:
    'The app did not say clearly where the answer is to go: redirect_uri is repeated or malformed.',
  redirect_uri_mismatch: 'The app asks for the answer at an address that is not registered for it.',
};

/**
 * An error page and never a redirect: the redirect URI is not verified. Development shows what was expected beside what was
 * received; production only logs it, since anyone could ask.
 */
export function unverifiedRequestPage(request: UnverifiedRequest, production: boolean): string {
  const { reason, registered = [], received = '' } = request;
  const difference = reason === 'redirect_uri_mismatch' && !production ? firstDifference(registered, received) : null;
  return problemPage({
    title: 'This app cannot be let in',
    what: `${WHAT[reason]} For your safety you are not sent anywhere.`,
    next: 'Go back to the app. If it is yours, compare its settings with its registration; the log of this server has the details.',
    ...(difference && {
      details: [
        { name: 'Expected (registered)', same: difference.same, rest: difference.expectedRest },
        { name: 'Received', same: difference.same, rest: difference.receivedRest },
      ],
    }),
  });
}
