import { spanWords } from '../system/durations.ts';

/** 5400 → "1 hour, 30 minutes (5400 s)": with the number as in the configuration. */
export const inWords = (seconds: number): string => `${spanWords(seconds * 1000)} (${seconds} s)`;

/** To the minute, in UTC as in logs. */
export const minute = (instant: Date | string): string =>
  `${new Date(instant).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
