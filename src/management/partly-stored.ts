/** Failures of a request whose parts are stored one by one: some of them may be stored. */
const FAILURES = new WeakSet<object>();

export const isPartlyStored = (error: object): boolean => FAILURES.has(error);

export async function inParts<T>(store: () => Promise<T>): Promise<T> {
  try {
    return await store();
  } catch (error) {
    if (typeof error === 'object' && error !== null) FAILURES.add(error);
    throw error;
  }
}
