/** How requests name an interaction: in the path. */
import type { FastifyRequest } from 'fastify';
import type { InteractionRequest } from '../protocol/interaction.ts';
import { MAX_SEALED_CHARACTERS } from '../protocol/sealed-interaction.ts';
import type { BrowserCookies } from './cookies.ts';

/** As we write them: the id in lower case, of any version; after a dot what is sealed, as long as the interaction is not stored. */
export const INTERACTION_NAME = /^(?<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\.(?<sealed>[A-Za-z0-9_-]+))?$/;
/** The longest part of a path in any route. */
export const MAX_NAME_CHARACTERS = 36 + 1 + MAX_SEALED_CHARACTERS;

export type NamedParams = { readonly name: string };

function namedBy(name: string): Pick<InteractionRequest, 'id' | 'sealed'> {
  const { id = '', sealed = null } = INTERACTION_NAME.exec(name)?.groups ?? {};
  return { id, sealed };
}

export const isInteractionName = (name: string): boolean =>
  name.length <= MAX_NAME_CHARACTERS && INTERACTION_NAME.test(name);

/** @returns null: no interaction has this name. */
export const interactionNamed = (name: string): Pick<InteractionRequest, 'id' | 'sealed'> | null =>
  isInteractionName(name) ? namedBy(name) : null;

/** @param name that INTERACTION_NAME matches */
export const interactionRequestOf = (
  cookies: BrowserCookies,
  request: FastifyRequest,
  { name }: NamedParams,
): InteractionRequest => ({
  ...namedBy(name),
  browser: cookies.hash(request, 'browser'),
  session: cookies.hash(request, 'session'),
});
