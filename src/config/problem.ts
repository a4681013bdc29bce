/** Problems of a record or a file, as texts that say what to change. The value of a secret never appears in them. */

export type RecordProblem = {
  /** Dotted path, e.g. `redirect_uris.0`; null when the problem concerns the whole record or file. */
  readonly key: string | null;
  readonly found: string;
  readonly allowed: string;
  /** The known name that was probably meant. */
  readonly nearest: string | null;
};

export type Problem = RecordProblem & {
  readonly file: string;
  /** Counted from 1; null when the problem concerns the whole file. */
  readonly line: number | null;
};

/** @param key null: the file as a whole. */
export const problemOf = (file: string, key: string | null, found: string, allowed: string): Problem => ({
  file,
  line: null,
  key,
  found,
  allowed,
  nearest: null,
});

export type Path = readonly PropertyKey[];

/** `lineOf`: the line of a key, or of its nearest ancestor that exists. */
export type ReadFile<Value> = { readonly value: Value; readonly lineOf: (path: Path) => number | null };

/** Makes problems of a file, each with its line. */
export const problemsIn =
  (file: string, { lineOf }: Pick<ReadFile<unknown>, 'lineOf'>) =>
  (path: Path, found: string, allowed: string, nearest: string | null = null): Problem => ({
    file,
    line: lineOf(path),
    key: path.join('.'),
    found,
    allowed,
    nearest,
  });

export function describeRecordProblem({ key, found, allowed, nearest }: RecordProblem): string {
  const hint = nearest === null ? '' : ` Did you mean "${nearest}"?`;
  return `${key === null ? '' : `${key}: `}Expected ${allowed}, found ${found}.${hint}`;
}

export const describeProblem = ({ file, line, ...problem }: Problem): string =>
  `${line === null ? file : `${file}:${line}`}: ${describeRecordProblem(problem)}`;

export class ConfigurationError extends Error {
  readonly problems: readonly Problem[];
  constructor(folder: string, problems: readonly Problem[]) {
    super(
      `The configuration in ${folder} is refused:\n${problems.map((problem) => `  ${describeProblem(problem)}`).join('\n')}`,
    );
    this.name = 'ConfigurationError';
    this.problems = problems;
  }
}
