/** Goes on at once with what is there, and later with what is being made elsewhere. A signature in this process costs no promise. */
export const whenThere = <T, U>(value: T | Promise<T>, next: (value: T) => U | Promise<U>): U | Promise<U> =>
  value instanceof Promise ? value.then(next) : next(value);
