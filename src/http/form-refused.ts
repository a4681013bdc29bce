/** A form that this server did not make for this browser and this session. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendProblem } from './problem.ts';
import { setLogLine } from './request-log.ts';

export function refuseForm(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  setLogLine(request, 'refused', { reason: 'form_refused' });
  return sendProblem(request, reply, 403, ({ problems }) => problems.formRefused);
}
