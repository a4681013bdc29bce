import helmet from '@fastify/helmet';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { STYLE_SOURCE } from './views/page.ts';

/**
 * RFC 9700 §4.16 (no framing), §4.2.4 (no referrer). `form-action` is absent on purpose where a form leads to the client:
 * Chromium holds the whole redirect chain against it (docs/decisions/0011).
 */
export async function securityHeaders(app: FastifyInstance, { issuer }: { readonly issuer: string }): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        styleSrc: [STYLE_SOURCE],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    strictTransportSecurity: issuer.startsWith('https:') ? { maxAge: 31_536_000, includeSubDomains: false } : false,
    referrerPolicy: { policy: 'no-referrer' },
    frameguard: { action: 'deny' },
    // A client may have opened sign-in in a popup and wait for it: cutting the tie would break it.
    crossOriginOpenerPolicy: false,
  });
}

export const noStore = (reply: FastifyReply): FastifyReply => reply.header('cache-control', 'no-store');

/** RFC 9700 §4.12: 303, so that no browser sends a POST body on to the client. */
export const seeOther = (reply: FastifyReply, location: string): FastifyReply => noStore(reply).redirect(location, 303);

export const sendPage = (reply: FastifyReply, status: number, html: string): FastifyReply =>
  noStore(reply).code(status).type('text/html; charset=utf-8').send(html);
