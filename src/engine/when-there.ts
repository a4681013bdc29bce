/**
 * Calls `next` immediately with a value, and later with a promised one. A signature in this process needs no promise.
 */
export const whenThere = <T, U>(value: T | Promise<T>, next: (value: T) => U | Promise<U>): U | Promise<U> =>
  value instanceof Promise ? value.then(next) : next(value);
