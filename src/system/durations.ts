/** Stretches of time in words, for people. Nothing is shorter than a millisecond. */
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
  ['ms', 1],
] as const;

/** 5_400_000 → "1 hour 30 minutes". */
export function spanWords(milliseconds: number): string {
  const parts: string[] = [];
  let rest = milliseconds;
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(counted(count, unit));
  }
  return parts.join(' ') || '0 seconds';
}

/** In the largest unit that says it exactly: 5_400_000 → "90 minutes". */
export function inOneUnit(milliseconds: number): string {
  const [unit, size] = UNITS.find(([, one]) => milliseconds >= one && milliseconds % one === 0) ?? UNITS[4];
  return counted(milliseconds / size, unit);
}

const counted = (count: number, unit: string) => `${count} ${unit}${count === 1 || unit === 'ms' ? '' : 's'}`;
