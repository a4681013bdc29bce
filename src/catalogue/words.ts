/** Any value of a configuration as text, so that no part of it is invisible. */

/** Shown for functions, which have no name. */
export const INLINE = '(inline code)';

export const wordsOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, functionsAsWords) ?? 'undefined');

/** Keys and values. */
export const wordsOfAll = (others: object): string =>
  Object.entries(others)
    .map(([key, value]) => `${key}: ${wordsOf(value)}`)
    .join(', ');

/** JSON.stringify would drop functions silently. */
const functionsAsWords = (_key: string, value: unknown): unknown => (typeof value === 'function' ? INLINE : value);
