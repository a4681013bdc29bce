/** Where two texts begin to differ, for people who compare redirect URIs by eye. */
export type Difference = {
  /** What both begin with. */
  readonly same: string;
  readonly expectedRest: string;
  readonly receivedRest: string;
};

/** Held against the expected text that agrees with it longest; null when nothing was expected. */
export function firstDifference(expected: readonly string[], received: string): Difference | null {
  const differences = expected.map((one) => {
    const length = sameLength(one, received);
    return { same: received.slice(0, length), expectedRest: one.slice(length), receivedRest: received.slice(length) };
  });
  return differences.sort((one, other) => other.same.length - one.same.length)[0] ?? null;
}

function sameLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && length < other.length && one[length] === other[length]) length++;
  return length;
}
