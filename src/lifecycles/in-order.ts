/** With the names of objects sorted, at any depth: jsonb keeps no order. */
export const inOrder = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(inOrder);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  return entries.toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([name, one]) => [name, inOrder(one)]);
};
