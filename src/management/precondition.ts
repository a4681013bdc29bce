/** Entity tags and the conditions on them (RFC 9110 §8.8.3, §13.1). */
import type { FastifyRequest } from 'fastify';
import { sha256 } from '../crypto/digest.ts';
import type { Precondition } from './resource.ts';

/** Of a representation, not of a row: a precondition is about the representation that the caller read. 162 bits of a SHA-256. */
export const entityTag = (text: string): string => `"${digest(text)}"`;
const digest = (text: string): string => sha256(text).toString('base64url').slice(0, 27);

/**
 * Of a record with facts beside it that no request writes, such as the last sign-in: a part for each (docs/decisions/0090). A condition of a
 * change compares the part of the record.
 */
export const tagOf = (record: object, facts?: object): string =>
  facts === undefined
    ? entityTag(JSON.stringify(record))
    : `"${digest(JSON.stringify(record))}.${digest(JSON.stringify(facts))}"`;

const ofRecord = (tag: string): string => tag.replace(/\.[\w-]+"$/, '"');

/** An asterisk counts alone only: in anything else it would let a change through that names no tag. */
const tagsIn = (header: string | undefined): readonly string[] =>
  header?.trim() === '*' ? ['*'] : (header?.match(/(?:W\/)?"[^"]*"/g) ?? []);

export function preconditionOf({ headers }: FastifyRequest): Precondition {
  const ifMatch = headers['if-match'];
  const tags = ifMatch === undefined ? null : tagsIn(ifMatch);
  return {
    // Strong comparison (§13.1.1), which a tag with W/ never passes.
    isSeen: tags && ((body) => tags.includes('*') || tags.some((tag) => ofRecord(tag) === tagOf(body))),
    onlyNew: tagsIn(headers['if-none-match']).includes('*'),
  };
}

/** Weak comparison (§13.1.2). */
export const isKnown = ({ headers }: FastifyRequest, tag: string): boolean =>
  tagsIn(headers['if-none-match']).some((known) => known === '*' || known.replace(/^W\//, '') === tag);
