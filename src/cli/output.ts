/** Standard output is for results, standard error for errors and warnings. */
export type Output = {
  readonly print: (text: string) => void;
  readonly complain: (text: string) => void;
};

export const systemOutput: Output = {
  print: (text) => void process.stdout.write(text),
  complain: (text) => void process.stderr.write(text),
};

/** `statehouse clients list | head -1`: a reader that stops early is not a failure. */
export function endQuietlyOnClosedPipe(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      process.exit(0);
    });
  }
}

/** One JSON document, for programs. */
export const json = (document: unknown): string => `${JSON.stringify(document, null, 2)}\n`;

export const warningLines = (warnings: readonly string[]): string =>
  warnings.map((warning) => `  warning: ${warning}\n`).join('');

/** Null: the command made none. */
export const secretLines = (made: string | null): string =>
  made === null ? '' : `  client_secret  ${made}\n  The secret is not shown again: only a keyed hash of it is kept.\n`;

/** Null: the command made none. */
export const passwordLines = (made: string | null): string =>
  made === null ? '' : `  password  ${made}\n  The password is not shown again: only a hash of it is kept.\n`;

/** Columns as wide as their widest cell. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return rows.map((row) => `${line(row).trimEnd()}\n`).join('');
}
