export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Linear between the two nearest; NaN of nothing. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (sorted.length - 1) * q;
  const [below, above] = [sorted[Math.floor(at)] ?? Number.NaN, sorted[Math.ceil(at)] ?? Number.NaN];
  return below + (above - below) * (at - Math.floor(at));
}
