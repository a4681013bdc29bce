/** The sender of a request, for the ledger, the log and events about a reused credential. */
import type { FastifyRequest } from 'fastify';
import type { ClientSender } from '../protocol/client-authentication.ts';
import { callerAddress } from './address-key.ts';

const MAX_USER_AGENT_CHARACTERS = 256;

export const presenterOf = (request: FastifyRequest): ReturnType<ClientSender['presenter']> => ({
  address: callerAddress(request.ip, request.socket.remoteAddress ?? ''),
  userAgent:
    request.headers['user-agent']?.slice(0, MAX_USER_AGENT_CHARACTERS).replaceAll(/[^\x20-\x7e]/g, '?') ?? null,
});
