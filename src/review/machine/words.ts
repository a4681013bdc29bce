/** Anything that stands in a configuration, in words: nothing that is written may look as if it were not there. */

/** What is written as code has no name to show. */
export const INLINE = '(inline code)';

export const wordsOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, functionsAsWords) ?? 'undefined');

/** Keys and what they say. */
export const wordsOfAll = (others: object): string =>
  Object.entries(others)
    .map(([key, value]) => `${key}: ${wordsOf(value)}`)
    .join(', ');

/** For JSON.stringify, which would drop them in silence. */
const functionsAsWords = (_key: string, value: unknown): unknown => (typeof value === 'function' ? INLINE : value);
