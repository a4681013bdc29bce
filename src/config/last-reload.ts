/** The result of the last reload of the configuration. */
import type { Change } from './changes.ts';

export type LastReload = {
  readonly at: Date;
  /** False: the server rejected the files, and the previous configuration stays in force. */
  readonly accepted: boolean;
  readonly changes: readonly Change[];
  /** In words, with file and line. */
  readonly problems: readonly string[];
};
