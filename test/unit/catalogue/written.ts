/** The content of a machine's file, as its diagrams must show it. XState's `and` and `or` are functions with their guards as properties. */

/** @param guard a name, or names that `and` or `or` puts together. */
export const guardWords = (guard: unknown): unknown =>
  typeof guard === 'function'
    ? (guard as unknown as { readonly guards: readonly string[] }).guards.join(` ${guard.name} `)
    : guard;

export const asJson = (config: unknown) => JSON.parse(JSON.stringify(config, (_, value) => guardWords(value)));
