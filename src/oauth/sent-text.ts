/** Text that anyone may have sent. */

/** @returns undefined: the text is not JSON (RFC 8259). */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Postgres stores no U+0000, and nothing that is not well-formed: no item has such a key, and nothing contains it. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
