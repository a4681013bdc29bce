import { firstDifference } from '../oauth/first-difference.ts';
import { MAX_PARAMETERS } from '../oauth/parameters.ts';
import type { UnverifiedRequest } from '../protocol/authorization-request.ts';
import type { Look } from './look.ts';
import { problemPage } from './views/problem.ts';

/**
 * An error page and never a redirect: the redirect URI is not verified. Development shows the expected and the received
 * value. Production only logs them, because any visitor could ask.
 */
export function unverifiedRequestPage(look: Look, request: UnverifiedRequest, production: boolean): string {
  const words = look.words.unverified;
  const { reason, registered = [], received = '' } = request;
  const why = words.reasons[reason];
  const difference = reason === 'redirect_uri_mismatch' && !production ? firstDifference(registered, received) : null;
  return problemPage(look, {
    title: words.title,
    what: `${typeof why === 'string' ? why : why({ most: MAX_PARAMETERS })} ${words.notSent}`,
    next: words.next,
    ...(difference && {
      details: [
        { name: words.expected, same: difference.same, rest: difference.expectedRest },
        { name: words.received, same: difference.same, rest: difference.receivedRest },
      ],
    }),
  });
}
