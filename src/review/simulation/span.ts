/** A stretch of time in words: 5_400_000 → "1 hour 30 minutes". Nothing shorter than a millisecond. */
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
  ['ms', 1],
] as const;

export function spanWords(milliseconds: number): string {
  const parts: string[] = [];
  let rest = milliseconds;
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${unit}${count === 1 || unit === 'ms' ? '' : 's'}`);
  }
  return parts.join(' ') || '0 seconds';
}
