/** What became of the last reload of the configuration, for those who look. */
import type { Change } from './changes.ts';

export type LastReload = {
  readonly at: Date;
  /** False: the files were refused, and what ran goes on running. */
  readonly accepted: boolean;
  readonly changes: readonly Change[];
  /** In words, with file and line. */
  readonly problems: readonly string[];
};
