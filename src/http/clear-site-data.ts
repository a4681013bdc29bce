/** The data that a browser deletes when a user leaves it (Clear Site Data §3.1). */
import type { FastifyReply } from 'fastify';

/**
 * Not "cookies", which affects the whole registrable domain. Other applications keep their cookies there, and this
 * server's cookies outside the session have to stay (docs/decisions/0040). Storage belongs to the origin, which is this
 * server's alone where the issuer has no path.
 */
export const clearSiteData = (reply: FastifyReply, issuer: string): FastifyReply =>
  reply.header('clear-site-data', new URL(issuer).pathname === '/' ? '"cache", "storage"' : '"cache"');
