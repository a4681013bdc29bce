/** Entity tags and the conditions on them (RFC 9110 §8.8.3, §13.1). */
import type { FastifyRequest } from 'fastify';
import { sha256 } from '../crypto/digest.ts';
import type { Precondition } from './resource.ts';

/** Of a representation, not of a row: a precondition is about the representation that the caller read. 162 bits of a SHA-256. */
export const entityTag = (text: string): string => `"${sha256(text).toString('base64url').slice(0, 27)}"`;

/** An asterisk counts alone only: in anything else it would let a change through that names no tag. */
const tagsIn = (header: string | undefined): readonly string[] =>
  header?.trim() === '*' ? ['*'] : (header?.match(/(?:W\/)?"[^"]*"/g) ?? []);

export function preconditionOf({ headers }: FastifyRequest): Precondition {
  const ifMatch = headers['if-match'];
  const tags = ifMatch === undefined ? null : tagsIn(ifMatch);
  return {
    // Strong comparison (§13.1.1), which a tag with W/ never passes.
    isSeen: tags && ((body) => tags.includes('*') || tags.includes(entityTag(JSON.stringify(body)))),
    onlyNew: tagsIn(headers['if-none-match']).includes('*'),
  };
}

/** Weak comparison (§13.1.2). */
export const isKnown = ({ headers }: FastifyRequest, tag: string): boolean =>
  tagsIn(headers['if-none-match']).some((known) => known === '*' || known.replace(/^W\//, '') === tag);
