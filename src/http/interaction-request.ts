/** How requests name an interaction: in the path. */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { InteractionRequest } from '../protocol/interaction.ts';
import { MAX_SEALED_CHARACTERS } from '../protocol/sealed-interaction.ts';
import type { BrowserCookies } from './cookies.ts';
import { sendInteractionRefused } from './interaction-outcome.ts';
import { SchemaMismatch } from './zod-schemas.ts';

/**
 * In this server's spelling: the id in lower case, of any version. After a dot the sealed state, while the interaction
 * is not stored.
 */
const INTERACTION_NAME = /^(?<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\.(?<sealed>[A-Za-z0-9_-]+))?$/;
/** The longest part of a path in any route. */
export const MAX_NAME_CHARACTERS = 36 + 1 + MAX_SEALED_CHARACTERS;

const params = z.object({ name: z.string().regex(INTERACTION_NAME) });

/** Options of every route below /interactions/:name. A name of another form is never the name of an interaction. */
export const NAMED = {
  schema: { params },
  errorHandler: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    if (!(error instanceof SchemaMismatch)) throw error;
    return sendInteractionRefused(request, reply, { kind: 'refused', reason: 'interaction_unknown' });
  },
} as const;

function namedBy(name: string): Pick<InteractionRequest, 'id' | 'sealed'> {
  const { id = '', sealed = null } = INTERACTION_NAME.exec(name)?.groups ?? {};
  return { id, sealed };
}

export const isInteractionName = (name: string): boolean =>
  name.length <= MAX_NAME_CHARACTERS && INTERACTION_NAME.test(name);

/** @returns null: no interaction has this name. */
export const interactionNamed = (name: string): Pick<InteractionRequest, 'id' | 'sealed'> | null =>
  isInteractionName(name) ? namedBy(name) : null;

/** @param name of a route that is NAMED */
export const interactionRequestOf = (
  cookies: BrowserCookies,
  request: FastifyRequest,
  { name }: z.infer<typeof params>,
): InteractionRequest => ({
  ...namedBy(name),
  browser: cookies.hash(request, 'browser'),
  session: cookies.hash(request, 'session'),
});
