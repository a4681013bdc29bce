/**
 * A number for each value, the same for equal content. Values are never changed, so a number that was given once stays; keys
 * are compared a million times.
 */

/** On the value itself, where copies do not take it along: a WeakMap of millions costs a third of the whole walk. */
const NUMBER = Symbol('number');
type Numbered = { readonly [NUMBER]?: number };
const numberOfText = new Map<string, number>();

export function numberOf(value: object): number {
  const known = (value as Numbered)[NUMBER];
  if (known !== undefined) return known;
  const text = textOf(value);
  const number = numberOfText.get(text) ?? numberOfText.size;
  numberOfText.set(text, number);
  Object.defineProperty(value, NUMBER, { value: number });
  return number;
}

function textOf(value: object): string {
  if (value instanceof Date) return `@${value.getTime()}`;
  if (value instanceof Uint8Array) return `~${value.join()}`;
  if (Array.isArray(value)) return `[${value.map(part).join()}]`;
  let text = '{';
  for (const name in value) text += `${name}:${part((value as Record<string, unknown>)[name])};`;
  return text;
}

function part(value: unknown): string {
  if (value instanceof Date) return `@${value.getTime()}`;
  if (typeof value === 'object' && value !== null) return `#${numberOf(value)}`;
  return typeof value === 'string' ? `"${value}"` : typeof value === 'bigint' ? `${value}n` : String(value);
}
