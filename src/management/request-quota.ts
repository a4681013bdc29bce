/**
 * The bound of a caller's requests at this node (limits.yaml), and the header fields that announce it
 * (draft-ietf-httpapi-ratelimit-headers-10). Each operation of a batch counts as a request.
 */
import type { FastifyInstance } from 'fastify';
import type { Standing } from '../system/rate-limit.ts';
import type { GuardDeps } from './deps.ts';
import { problem } from './problem.ts';
import type { Me } from './who.ts';

export const QUOTA_SECONDS = 60;

type QuotaDeps = Pick<GuardDeps, 'requestCounts' | 'configuration'>;

const mostOf = ({ configuration }: QuotaDeps): number => configuration().limits.managementRequestsPerMinute;

const keyOf = ({ kind, id }: Me): string => `${kind} ${id}`;

/** Called after the authentication, so that no other caller uses up a caller's quota. */
export const countRequest = (deps: QuotaDeps, me: Me): Standing => deps.requestCounts.count(keyOf(me), mostOf(deps));

export const tooManyRequests = (deps: QuotaDeps, { resetSeconds }: Standing) =>
  problem(
    'too_many_requests',
    `A caller may send ${mostOf(deps)} requests in ${QUOTA_SECONDS} seconds. Nothing was changed. Try again in ${resetSeconds} seconds.`,
  );

/** Written last: the operations of a batch have counted by then. */
export function quotaFields(app: FastifyInstance, deps: QuotaDeps): void {
  app.addHook('onSend', async (request, reply) => {
    if (request.me === null) return;
    const most = mostOf(deps);
    const { remaining, resetSeconds } = deps.requestCounts.standingOf(keyOf(request.me), most);
    reply.header('ratelimit-policy', `"default";q=${most};w=${QUOTA_SECONDS}`);
    reply.header('ratelimit', `"default";r=${remaining};t=${resetSeconds}`);
  });
}
