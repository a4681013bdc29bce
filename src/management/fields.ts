/** `fields`: only some members of a document. */
import { z } from 'zod';
import { expecting } from '../../policies/expectations.ts';

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
    .describe(`Only these members: ${expected}. Absent: all. The entity tag is that of the whole.`);
}

export function withFields(document: object, fields: string | undefined): object {
  if (fields === undefined) return document;
  const wanted = namesIn(fields);
  return Object.fromEntries(Object.entries(document).filter(([name]) => wanted.includes(name)));
}
