/** Mutants that no test can or should notice, with the reason. The report counts them apart. */
export type Explained = {
  readonly file: string;
  /** The line in which the mutation begins, trimmed. */
  readonly source: string;
  /** Stryker's names of the kinds of mutation; left out: all of that line. */
  readonly mutators?: readonly string[];
  readonly why: string;
};

export const explained: readonly Explained[] = [];
