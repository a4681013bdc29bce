/**
 * Requests whose bodies have not arrived. A client can hold them open cheaply, so they do not count as work of the
 * node. Each body has a deadline. The server never refuses a new request because of waiting ones. Where too many wait,
 * the network with the most of them loses its oldest. A client that sends its body is therefore served beside any
 * number that do not.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { deadlines } from '../system/deadlines.ts';
import { networkOf } from './address-key.ts';
import { type Member, passingMembers } from './passing-members.ts';

type Arrival = Member & {
  /** In the order of the requests. */
  readonly number: number;
  readonly endsAt: number;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Computed only where many wait. */
  network: string | null;
};

declare module 'fastify' {
  interface FastifyRequest {
    /** Null: it has no body, or the body was not expected. */
    arrival: Arrival | null;
  }
}

export type ArrivingBodies = {
  readonly expect: (request: FastifyRequest, reply: FastifyReply) => void;
  /** @returns whether the node was waiting for its body. */
  readonly arrived: (request: FastifyRequest) => boolean;
};

/** With the properties of a `FastifyError`. */
class BodyLate extends Error {
  readonly code = 'BODY_LATE';
  readonly statusCode = 408;
  constructor() {
    super('The body of the request did not arrive in time.');
  }
}

/** @param most the number of bodies for which the node waits. Half of them may be of one network. */
export function arrivingBodies(most: () => number): ArrivingBodies {
  const awaited = passingMembers<Arrival>();
  let requests = 0;
  let timer: NodeJS.Timeout | null = null;
  let timerEndsAt = 0;

  function end(arrival: Arrival): void {
    const { request, reply } = arrival;
    const { raw } = request;
    awaited.remove(arrival);
    // The reader of the body gets the error, and its route answers as for any unreadable body.
    if (reply.sent || raw.listenerCount('error') === 0) return void raw.destroy();
    reply.header('connection', 'close');
    raw.emit('error', new BodyLate());
  }

  function endLate(): void {
    timer = null;
    const now = performance.now();
    let next = Number.POSITIVE_INFINITY;
    for (const arrival of awaited.all()) {
      if (arrival.endsAt <= now) end(arrival);
      else next = Math.min(next, arrival.endsAt);
    }
    if (next < Number.POSITIVE_INFINITY) watch(next);
  }

  /** One timer for all of them. */
  function watch(endsAt: number): void {
    if (timer !== null && timerEndsAt <= endsAt) return;
    if (timer !== null) clearTimeout(timer);
    timerEndsAt = endsAt;
    timer = setTimeout(endLate, Math.max(1, Math.ceil(endsAt - performance.now())));
    timer.unref();
  }

  function makeRoom(): void {
    const share = most() / 2;
    if (awaited.size() <= share) return;
    const networks = new Map<string, { count: number; oldest: Arrival }>();
    let largest = { count: 0, oldest: null as Arrival | null };
    for (const arrival of awaited.all()) {
      arrival.network ??= networkOf(arrival.request);
      const network = networks.get(arrival.network) ?? { count: 0, oldest: arrival };
      network.count += 1;
      if (arrival.number < network.oldest.number) network.oldest = arrival;
      networks.set(arrival.network, network);
      if (network.count > largest.count) largest = network;
    }
    if (largest.oldest !== null && (largest.count > share || awaited.size() > most())) end(largest.oldest);
  }

  return {
    expect: (request, reply) => {
      const { raw } = request;
      const endsAt = performance.now() + deadlines.bodyMilliseconds;
      const arrival = { number: requests++, endsAt, request, reply, network: null, place: null };
      request.arrival = arrival;
      awaited.add(arrival);
      // A response may precede the body. Then the node waits for the body as long as the connection lasts.
      reply.raw.once('close', () => {
        if (raw.complete || raw.destroyed) awaited.remove(arrival);
        else raw.once('close', () => awaited.remove(arrival));
      });
      watch(endsAt);
      makeRoom();
    },
    arrived: ({ arrival }) => arrival !== null && awaited.remove(arrival),
  };
}

/** RFC 9112 §6.3: a request has a body only if one of these headers is there. */
export const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
