/**
 * How long a header may be that something here reads: the one table. It is held against a request before anything of it is parsed, since
 * parsers cost more than the line is long. Fields of forms and queries have their bounds where they are read (src/oauth/parameters.ts).
 */
import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';

/**
 * `ignore`: a wish or a hint, and the request is answered as if it were not there. `cut`: its
 * beginning is worth keeping. `refuse`: it decides something.
 */
type Bound = { readonly most: number; readonly beyond: 'ignore' | 'cut' | 'refuse' };

/** In characters; several lines of a header count together. */
export const HEADER_BOUNDS: Readonly<Record<string, Bound>> = {
  accept: { most: 1024, beyond: 'ignore' },
  'accept-language': { most: 512, beyond: 'ignore' },
  'user-agent': { most: 1024, beyond: 'cut' },
  referer: { most: 2048, beyond: 'ignore' },
  traceparent: { most: 256, beyond: 'ignore' },
  'if-none-match': { most: 1024, beyond: 'ignore' },
  'if-match': { most: 1024, beyond: 'refuse' },
  'idempotency-key': { most: 1024, beyond: 'refuse' },
  'content-type': { most: 256, beyond: 'refuse' },
  origin: { most: 512, beyond: 'refuse' },
  // An access token of a full set of claims has some 3,000.
  authorization: { most: 8192, beyond: 'refuse' },
  cookie: { most: 8192, beyond: 'refuse' },
  // Without it the request would count for the proxy.
  'x-forwarded-for': { most: 1024, beyond: 'refuse' },
};
const BOUNDS = Object.entries(HEADER_BOUNDS);

/** RFC 6585 §5. With the properties of a `FastifyError`. */
class HeaderTooLong extends Error {
  readonly code = 'HEADER_TOO_LONG';
  readonly statusCode = 431;
  constructor(name: string, most: number) {
    super(`The header ${name} has more than ${most} characters.`);
  }
}

/** Takes off what is ignored. @returns the first that is refused; null: there is none. */
export function boundHeaders({ raw: { headers } }: Pick<FastifyRequest, 'raw'>): HeaderTooLong | null {
  let refused: HeaderTooLong | null = null;
  for (const [name, { most, beyond }] of BOUNDS) {
    const value = headers[name];
    if (value === undefined || value.length <= most) continue;
    if (beyond === 'refuse') refused ??= new HeaderTooLong(name, most);
    // A refusal is written without parsing it, too.
    if (beyond === 'cut' && typeof value === 'string') headers[name] = value.slice(0, most);
    else delete headers[name];
  }
  return refused;
}

export const headerBounds = fp(
  async (app) => {
    app.addHook('onRequest', (request, _reply, done) => {
      const tooLong = boundHeaders(request);
      if (tooLong === null) done();
      else done(tooLong);
    });
  },
  { name: 'header-bounds' },
);
