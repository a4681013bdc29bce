/** Durations as text for people, exact to the millisecond. */
const UNITS = [
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
  ['seconds', 1000],
  ['milliseconds', 1],
] as const;

/** 5_400_000 → "1 hour, 30 minutes". */
export function spanWords(milliseconds: number): string {
  const duration: Duration = {};
  let rest = milliseconds;
  for (const [unit, size] of UNITS) {
    duration[unit] = Math.floor(rest / size);
    rest %= size;
  }
  return inEnglish(duration);
}

/** In the largest exact unit: 5_400_000 → "90 minutes". */
export function inOneUnit(milliseconds: number): string {
  const [unit, size] =
    UNITS.find(([, unitSize]) => milliseconds >= unitSize && milliseconds % unitSize === 0) ?? UNITS[4];
  return inEnglish({ [unit]: milliseconds / size });
}

type Duration = Partial<Record<Intl.DurationFormatUnit, number>>;

/** Created on first use: the first formatter takes 10 ms, which would delay the start of the server. */
const inEnglish = (duration: Duration) =>
  new Intl.DurationFormat('en', { style: 'long' }).format(duration) || '0 seconds';
