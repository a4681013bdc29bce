/**
 * A number for each value, the same for equal content. Values are never changed, so a number that was given once stays; keys
 * are compared a million times.
 */

/** On the value itself, where copies do not take it along: a WeakMap of millions costs a third of the whole walk. */
class Itself {
  constructor(value: object) {
    // biome-ignore lint/correctness/noConstructorReturn: a private field of another object is made by a constructor that returns it.
    return value;
  }
}
class Numbered extends Itself {
  readonly #number: number;
  constructor(value: object, number: number) {
    super(value);
    this.#number = number;
  }
  static of(value: object): number | undefined {
    return #number in value ? value.#number : undefined;
  }
}
const numberOfText = new Map<string, number>();

export function numberOf(value: object): number {
  const known = Numbered.of(value);
  if (known !== undefined) return known;
  const text = textOf(value);
  const number = numberOfText.get(text) ?? numberOfText.size;
  numberOfText.set(text, number);
  new Numbered(value, number);
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
