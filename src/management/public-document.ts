/** Public documents: they need no token, and caches may store and revalidate them. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { setLogLine } from '../http/request-log.ts';
import { entityTag, isKnown } from './precondition.ts';

export type PublicText = {
  /** The media type. */
  readonly type: string;
  readonly text: string;
  /** For pages. */
  readonly contentSecurityPolicy?: string;
};

/** @param textFor null: not found. */
export function publicDocument(
  app: FastifyInstance,
  url: string,
  textFor: (request: FastifyRequest) => PublicText | null | Promise<PublicText | null>,
): void {
  const prepared = preparing();
  app.get(url, { config: { public: true }, exposeHeadRoute: true }, async (request, reply) => {
    const found = await textFor(request);
    if (found === null) return reply.callNotFound();
    const { type, text, contentSecurityPolicy } = found;
    setLogLine(request, 'shown', {});
    const { tag, bytes } = prepared(text);
    reply.header('etag', tag).header('cache-control', CACHE).header('access-control-allow-origin', '*');
    if (isKnown(request, tag)) return reply.code(304).send();
    if (contentSecurityPolicy !== undefined) reply.header('content-security-policy', contentSecurityPolicy);
    return reply.type(type).send(bytes);
  });
}

/**
 * Requests are unauthenticated and unlimited, and the script of the reference has five megabytes. So the hash and the encoding of the last
 * document are kept.
 */
export function preparing(): (text: string) => { readonly tag: string; readonly bytes: Buffer } {
  let last: { readonly text: string; readonly tag: string; readonly bytes: Buffer } | null = null;
  return (text) => {
    if (last?.text !== text) last = { text, tag: entityTag(text), bytes: Buffer.from(text) };
    return last;
  };
}

/** A new version of the server can change the document immediately. */
const CACHE = 'public, no-cache';
