/** One thing wrong in a configuration file, in words that say what to change. */
export type Problem = {
  readonly file: string;
  /** Counted from 1; null when it concerns the whole file. */
  readonly line: number | null;
  /** Dotted path, e.g. `resources.0.scopes.1.name`. */
  readonly key: string | null;
  readonly found: string;
  readonly allowed: string;
  /** The known key that was probably meant. */
  readonly nearest: string | null;
};

export function describeProblem({ file, line, key, found, allowed, nearest }: Problem): string {
  const place = line === null ? file : `${file}:${line}`;
  const hint = nearest === null ? '' : ` Did you mean "${nearest}"?`;
  return `${place}: ${key === null ? '' : `${key}: `}found ${found}; allowed: ${allowed}.${hint}`;
}

export class ConfigurationError extends Error {
  readonly problems: readonly Problem[];
  constructor(folder: string, problems: readonly Problem[]) {
    super(
      `The configuration in ${folder} is refused:\n${problems.map((one) => `  ${describeProblem(one)}`).join('\n')}`,
    );
    this.name = 'ConfigurationError';
    this.problems = problems;
  }
}
