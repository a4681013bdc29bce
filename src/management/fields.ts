/**
 * `fields`: only some members of a document. The response has a media type of its own, since it lacks members that the
 * document always has.
 */
import { z } from 'zod';
import { expecting } from '../../policies/expectations.ts';

export const FIELDS_TYPE = 'application/vnd.statehouse.fields+json';

/** Whether an operation has the parameter. */
export const hasFields = (query: z.ZodObject | undefined): boolean => query !== undefined && 'fields' in query.shape;

/** The shape of the response to a request with `fields`. @param answer the shape without it. */
export function shapeWithFields(answer: z.ZodType): z.ZodType {
  if (!(answer instanceof z.ZodObject)) return answer;
  const { items } = answer.shape;
  if (!(items instanceof z.ZodArray && items.element instanceof z.ZodObject)) return answer.partial();
  return answer.extend({ items: z.array(items.element.partial()) });
}

const namesIn = (text: string): readonly string[] => text.split(',').map((name) => name.trim());

/** @param shape of the document, or of each item of a list. */
export function fieldsOf({ shape }: z.ZodObject) {
  const names = Object.keys(shape);
  const NAMES = `(?:${names.join('|')})`;
  const text = z
    .string()
    .max(500)
    .regex(new RegExp(`^ *${NAMES} *(?:, *${NAMES} *)*$`));
  const expected = `names of members, separated by commas, of ${names.join(', ')}`;
  return expecting(text, expected)
    .optional()
    .describe(
      `Only these members: ${expected}. Absent: all. The entity tag is that of the whole. The response has the media type ${FIELDS_TYPE}.`,
    );
}

export function withFields(document: object, fields: string | undefined): object {
  if (fields === undefined) return document;
  const wanted = namesIn(fields);
  return Object.fromEntries(Object.entries(document).filter(([name]) => wanted.includes(name)));
}
