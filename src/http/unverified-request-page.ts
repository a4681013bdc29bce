import { firstDifference } from '../oauth/first-difference.ts';
import { MAX_PARAMETERS } from '../oauth/parameters.ts';
import type { UnverifiedRequest } from '../protocol/authorization-request.ts';
import type { Look } from './look.ts';
import { problemPage } from './views/problem.ts';

/**
 * An error page and never a redirect: the redirect URI is not verified. Development shows the expected and the received
 * value, and production does so for a client that introduced itself. Of other clients it only logs them, because any visitor could ask.
 */
export function unverifiedRequestPage(look: Look, request: UnverifiedRequest, production: boolean): string {
  const words = look.words.unverified;
  const { reason, registered = [], received = '', introducedItself = false } = request;
  const why = words.reasons[reason];
  const shows = reason === 'redirect_uri_mismatch' && (introducedItself || !production);
  const difference = shows ? firstDifference(registered, received) : null;
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
