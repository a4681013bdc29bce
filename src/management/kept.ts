/** Answers that cost too much to be worked out for each request. */

/**
 * @param milliseconds how long an answer serves, by the monotonic clock.
 * @param work for each `key`, an object; a failure is not kept.
 */
export function keptFor<Key extends object, Value>(
  milliseconds: number,
  work: (key: Key) => Promise<Value>,
): (key: Key) => Promise<Value> {
  const kept = new WeakMap<Key, { readonly until: number; readonly value: Promise<Value> }>();
  return (key) => {
    const known = kept.get(key);
    if (known && performance.now() < known.until) return known.value;
    const value = work(key);
    kept.set(key, { until: performance.now() + milliseconds, value });
    value.catch(() => kept.delete(key));
    return value;
  };
}
