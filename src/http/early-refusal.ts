/** Refusals of requests that reach no route, in the form of the API that they are for. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { pathSent } from './exact-path.ts';

export type EarlyRefusal = 'undecodable' | 'overloaded';

/** An API whose refusals have a form of its own. */
export type RefusingApi = {
  /** In the request line. */
  readonly path: string;
  readonly refuse: (reply: FastifyReply, reason: EarlyRefusal) => FastifyReply;
};

/** @returns null for a request to another part of the server. */
export function apiAskedBy(request: FastifyRequest, api: RefusingApi | undefined): RefusingApi | null {
  if (api === undefined) return null;
  const path = pathSent(request);
  return path === api.path || path.startsWith(`${api.path}/`) ? api : null;
}
