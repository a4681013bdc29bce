import type { FastifyReply } from 'fastify';
import fp from 'fastify-plugin';

/**
 * The headers of every response, pages and JSON alike. They are a few constants: a library that computes them for each
 * request cost a tenth of a token request (docs/performance.md).
 *
 * RFC 9700 §4.16: no framing. §4.2.4: no referrer. No Cross-Origin-Opener-Policy: a client may have opened the sign-in
 * in a popup and wait for it, and the header would cut the connection.
 */
export const SECURITY_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const;

export const securityHeaders = fp<{ readonly issuer: string }>(
  async (app, { issuer }) => {
    const overTls = issuer.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {};
    const headers = { ...SECURITY_HEADERS, ...overTls };
    app.addHook('onRequest', (_request, reply, done) => {
      reply.headers(headers);
      done();
    });
  },
  { name: 'security-headers' },
);

export const noStore = (reply: FastifyReply): FastifyReply => reply.header('cache-control', 'no-store');

/** RFC 9700 §4.12: 303, so that no browser sends a POST body to the client. */
export const seeOther = (reply: FastifyReply, location: string): FastifyReply => noStore(reply).redirect(location, 303);

/** Sources of a page from another server. Empty: none. */
export type PageSources = Readonly<Record<'script' | 'frame' | 'connect' | 'style', string>>;

/** @param more the hash of each script of the page, and the sources of a widget. Most pages have neither. */
export function sendPage(
  reply: FastifyReply,
  status: number,
  html: string,
  ...more: readonly (string | PageSources | undefined)[]
): FastifyReply {
  const { policy } = reply.server.looks.brand();
  return noStore(reply)
    .code(status)
    .header('content-security-policy', more.some(Boolean) ? withSources(policy, more) : policy)
    .type('text/html; charset=utf-8')
    .send(html);
}

function withSources(policy: string, more: readonly (string | PageSources | undefined)[]): string {
  const sources = more.filter((one) => one !== undefined);
  const scripts = `script-src ${sources.map((one) => (typeof one === 'string' ? one : one.script)).join(' ')}`;
  const widget = sources.find((one) => typeof one !== 'string');
  if (widget === undefined) return `${policy}; ${scripts}`;
  const styled = widget.style === '' ? policy : policy.replace('style-src', `style-src ${widget.style}`);
  return `${styled}; ${scripts}; frame-src ${widget.frame}; connect-src ${widget.connect}`;
}
