/** Every item that is asked for is among those that are allowed. */
export const within = (asked: readonly string[], allowed: readonly string[]) =>
  asked.every((item) => allowed.includes(item));

/** Predicates that several guards share, so that reviews show them beside the guards. */
export const sharedPredicates = { within };
