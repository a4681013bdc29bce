/** The public keys (RFC 7517 §5). Caches may keep them only for as long as the policy waits before a new key signs. */
import fp from 'fastify-plugin';
import type { Configuration } from '../config/configuration.ts';
import { sha256 } from '../crypto/digest.ts';
import type { KeyRing } from '../crypto/signing-keys.ts';

type Document = { readonly body: string; readonly etag: string };

type Options = { readonly keyRing: KeyRing; readonly configuration: () => Configuration };

export const jwksRoute = fp<Options>(
  async (app, { keyRing, configuration }) => {
    // The key ring returns the same list until the keys change.
    const documents = new WeakMap<object, Document>();
    const current = (): Document => {
      const keys = keyRing.published();
      const known = documents.get(keys) ?? documentOf(keys);
      documents.set(keys, known);
      return known;
    };
    app.get('/.well-known/jwks.json', { exposeHeadRoute: true }, (request, reply) => {
      const { body, etag } = current();
      reply
        .header('cache-control', `public, max-age=${configuration().signingKeys.jwksMaxAgeSeconds}`)
        .header('etag', etag)
        .header('access-control-allow-origin', '*');
      if (names(request.headers['if-none-match'], etag)) return reply.code(304).send();
      return reply.type('application/jwk-set+json').send(body);
    });
  },
  { name: 'jwks-route', encapsulate: true },
);

function documentOf(keys: readonly object[]): Document {
  const body = JSON.stringify({ keys });
  return { body, etag: `"${sha256(body).toString('base64url')}"` };
}

/**
 * RFC 9110 §13.1.2: "*", or a list of entity tags. The comparison is weak, because a proxy may have weakened the tag.
 */
function names(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}
