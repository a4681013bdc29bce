/** Rejects a request with a problem, and logs the reason and the caller. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { setLogLine } from '../http/request-log.ts';
import { type Problem, sendProblem } from './problem.ts';

export function sendRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  issuer: string,
  refusal: Problem,
): FastifyReply {
  setLogLine(request, 'refused', { reason: refusal.reason, ...(request.me && whoIn(request)) });
  return sendProblem(reply, issuer, refusal);
}

export const whoIn = ({ me }: FastifyRequest) => ({ by: me && `${me.kind} ${me.id}` });
