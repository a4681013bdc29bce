/**
 * CORS for the endpoints that scripts in browsers call. The authorization endpoint never has it: a browser navigates
 * there, and no script calls it (RFC 9700 §2.6).
 */
import type { HTTPMethods, onRequestHookHandler } from 'fastify';
import { setLogLine } from './request-log.ts';

export type CrossOriginOptions = {
  /** Whether scripts of the origin may read the responses. */
  readonly isBrowserOrigin: (origin: string) => Promise<boolean>;
};

/**
 * An onRequest hook for all routes of one URL, including the route that refuses other methods. Errors, including 503,
 * therefore carry the headers too. Without an Origin header, or with an unknown origin, the hook has no effect.
 *
 * @param methods the methods of the endpoint.
 */
export function crossOrigin(
  { isBrowserOrigin }: CrossOriginOptions,
  methods: readonly HTTPMethods[],
): onRequestHookHandler {
  const preflight = {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': 'authorization, content-type, dpop',
    // In seconds: half of Chromium's maximum. The content of the preflight changes only with releases.
    'access-control-max-age': '3600',
  };
  return (request, reply, done) => {
    const { origin } = request.headers;
    if (origin === undefined) return done();
    isBrowserOrigin(origin).then((isKnown) => {
      if (!isKnown) return done();
      reply.headers({
        // This origin and not "*", and no credentials: no cookie of this server applies here.
        'access-control-allow-origin': origin,
        vary: 'Origin',
        // A client acts on these, besides the body.
        'access-control-expose-headers': 'www-authenticate, retry-after, dpop-nonce',
      });
      const isPreflight = request.method === 'OPTIONS' && 'access-control-request-method' in request.headers;
      if (!isPreflight) return done();
      setLogLine(request, 'preflight', {});
      reply.code(204).headers(preflight).send();
    }, done);
  };
}
