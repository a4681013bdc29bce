/** Values as text for error messages. They may be hostile, so control characters for a terminal are escaped. */

const MAX_SHOWN_CHARACTERS = 80;

export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = printable(JSON.stringify(value));
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS - 1)}…` : text;
}

/** Describes a secret without showing it. */
export function shownSecret(value: unknown): string {
  if (value === undefined) return 'nothing';
  return typeof value === 'string' ? `a text of ${value.length} characters (not shown)` : 'a value that is not a text';
}

/** Escapes control characters, line separators and formatting characters, which can reverse the direction of text. */
export const printable = (text: string): string =>
  text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

/** `"a", "b" or "c"` */
export function oneOf(values: readonly string[]): string {
  const quoted = values.map((value) => `"${value}"`);
  const last = quoted.at(-1) ?? 'nothing';
  return quoted.length < 2 ? last : `${quoted.slice(0, -1).join(', ')} or ${last}`;
}
