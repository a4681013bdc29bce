/** A page about a problem, as a response. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type AskedLook, lookOf } from './look.ts';
import { sendPage } from './security-headers.ts';
import { type ProblemView, problemPage } from './views/problem.ts';
import type { Words } from './words/words.ts';

/** @param problemOf picks the words of the page. */
export async function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  problemOf: (words: Words) => ProblemView,
  asked?: AskedLook,
): Promise<FastifyReply> {
  const look = await lookOf(request, asked);
  return sendPage(reply, status, problemPage(look, problemOf(look.words)));
}
