import { spanWords } from '../system/durations.ts';

/** 5400 → "1 hour, 30 minutes (5400 s)": with the number as in the configuration. */
export const inWords = (seconds: number): string => `${spanWords(seconds * 1000)} (${seconds} s)`;
