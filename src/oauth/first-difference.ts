/** The first difference between two texts, for people who compare redirect URIs by eye. */
export type Difference = {
  /** The common prefix. */
  readonly same: string;
  readonly expectedRest: string;
  readonly receivedRest: string;
};

/** Compares with the expected text that shares the longest prefix. @returns null when no text was expected. */
export function firstDifference(expected: readonly string[], received: string): Difference | null {
  const differences = expected.map((text) => {
    const length = sameLength(text, received);
    return { same: received.slice(0, length), expectedRest: text.slice(length), receivedRest: received.slice(length) };
  });
  return differences.sort((a, b) => b.same.length - a.same.length)[0] ?? null;
}

function sameLength(left: string, right: string): number {
  let length = 0;
  while (length < left.length && left[length] === right[length]) length++;
  return length;
}
