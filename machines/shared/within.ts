/** Every item that is asked for is among those that are allowed. */
export const within = (asked: readonly string[], allowed: readonly string[]) =>
  asked.every((item) => allowed.includes(item));

/** What several guards ask, so that reviews show it beside them. */
export const sharedPredicates = { within };
