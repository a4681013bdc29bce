import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { parseParameters } from '../oauth/parameters.ts';

/** Far more than any request of the standards needs. */
export const MAX_BODY_BYTES = 32_768;

/**
 * Form bodies arrive as raw text. OAuth forbids repeated parameters, so no parser may merge or drop them before
 * src/oauth/parameters.ts. Fastify rejects any other content type.
 */
export const formBodies = fp(
  async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'buffer' }, (_request, body, done) => {
      // Percent-encoding makes everything ASCII. latin1 keeps other bytes visible, and the parser rejects them.
      done(null, Buffer.isBuffer(body) ? body.toString('latin1') : body);
    });
  },
  { name: 'form-bodies' },
);

export const bodyOf = (body: unknown): string => (typeof body === 'string' ? body : '');

/** As raw text too, for the same reason. */
export const queryOf = ({ raw }: FastifyRequest): string => raw.url?.split('?').slice(1).join('?') ?? '';

/** Of a submitted form. Null: the field was not sent, or not sent once. */
export function sentFields<Name extends string>(
  { body }: FastifyRequest,
  names: readonly Name[],
): Readonly<Record<Name, string | null>> {
  const { parameters } = parseParameters(bodyOf(body), names);
  return Object.fromEntries(names.map((name) => [name, parameters.get(name)])) as Record<Name, string | null>;
}
export const sentField = (request: FastifyRequest, name: string): string | null =>
  sentFields(request, [name])[name] ?? null;

/** A form whose fields are data: each as typed, also an empty one. */
export type EveryField = {
  readonly fields: ReadonlyMap<string, string>;
  /** The name of a field that is repeated, too long or malformed; null: none is. It has no value. */
  readonly malformed: string | null;
};

/** Null: the form has too many fields. */
export function everyField({ body }: FastifyRequest): EveryField | null {
  const names = [...new Set(new URLSearchParams(bodyOf(body)).keys())];
  const { problem, parameters } = parseParameters(bodyOf(body), names);
  if (problem?.reason === 'too_many_parameters') return null;
  const malformed = problem?.parameter ?? null;
  const read = names.filter((name) => name !== malformed);
  return { fields: new Map(read.map((name) => [name, parameters.get(name) ?? ''])), malformed };
}

/** Of the query of a page. Null: as of a form. */
export const askedField = (request: FastifyRequest, name: string): string | null =>
  parseParameters(queryOf(request), [name]).parameters.get(name);
