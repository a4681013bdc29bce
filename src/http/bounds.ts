/**
 * The maximum length of each header that the server reads, in one table. The server checks it before it parses a
 * request, because parsing costs more than the length of the line. Fields of forms and queries have their bounds in
 * their reader (src/oauth/parameters.ts).
 */
import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';

/**
 * `ignore`: a preference or a hint. The server answers as if it were absent. `cut`: the beginning is useful. `refuse`:
 * the header decides the answer.
 */
type Bound = { readonly most: number; readonly beyond: 'ignore' | 'cut' | 'refuse' };

/** In characters. Several lines of one header count together. */
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
  dpop: { most: 8192, beyond: 'refuse' },
  cookie: { most: 8192, beyond: 'refuse' },
  // Without the header, the request would count for the proxy.
  'x-forwarded-for': { most: 1024, beyond: 'refuse' },
};
const BOUNDS = Object.entries(HEADER_BOUNDS);

/** RFC 6585 §5. With the properties of a `FastifyError`. */
export class HeaderTooLong extends Error {
  readonly code = 'HEADER_TOO_LONG';
  readonly statusCode = 431;
  readonly header: string;
  readonly length: number;
  readonly most: number;
  constructor(header: string, length: number, most: number) {
    super(`The header ${header} has ${length} characters, more than ${most}.`);
    this.header = header;
    this.length = length;
    this.most = most;
  }
}

/** Removes ignored headers. @returns the error for the first refused one. Null: none. */
export function boundHeaders({ raw: { headers } }: Pick<FastifyRequest, 'raw'>): HeaderTooLong | null {
  let refused: HeaderTooLong | null = null;
  for (const [name, { most, beyond }] of BOUNDS) {
    const value = headers[name];
    if (value === undefined || value.length <= most) continue;
    if (beyond === 'refuse') refused ??= new HeaderTooLong(name, value.length, most);
    // The server also writes a refusal without parsing the header.
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
