/** What a browser forgets when somebody leaves it (Clear Site Data §3.1). */
import type { FastifyReply } from 'fastify';

/**
 * Not "cookies": that is for the whole registrable domain, where other applications keep theirs, and ours that are not of the session
 * stay (docs/decisions/0040). Storage belongs to the origin, which is ours alone where the issuer has no path.
 */
export const clearSiteData = (reply: FastifyReply, issuer: string): FastifyReply =>
  reply.header('clear-site-data', new URL(issuer).pathname === '/' ? '"cache", "storage"' : '"cache"');
