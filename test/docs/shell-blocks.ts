/** The shell blocks of a guide, and a shell that keeps its variables from one statement to the next. */
import { once } from 'node:events';
import { chownSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outputOf, startChild } from '../support/child-process.ts';
import type { RunAs } from '../support/postgres-binaries.ts';

export type ShellBlock = {
  /** The heading above it. */
  readonly under: string;
  readonly statements: readonly string[];
};

/** In the order of the page; those in lists too. */
export function shellBlocks(page: string): readonly ShellBlock[] {
  const blocks: ShellBlock[] = [];
  for (const match of page.matchAll(/^( *)```sh\n([\s\S]*?)^ *```$/gm)) {
    const [, indent = '', body = ''] = match;
    // Comments in blocks begin like headings.
    const before = page.slice(0, match.index).replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');
    const under = [...before.matchAll(/^#+ (.+)$/gm)].at(-1)?.[1] ?? '';
    blocks.push({ under, statements: statementsOf(body.replaceAll(new RegExp(`^${indent}`, 'gm'), '')) });
  }
  return blocks;
}

/** A line each, with the lines that it continues on and the text that it reads (`<<END`). */
function statementsOf(body: string): string[] {
  const statements: string[] = [];
  const lines = body.split('\n');
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    while (line.endsWith('\\')) line += `\n${lines.shift() ?? ''}`;
    const end = /<<'?(\w+)'?/.exec(line)?.[1];
    while (end !== undefined && !line.endsWith(`\n${end}`)) line += `\n${lines.shift() ?? ''}`;
    statements.push(line);
  }
  return statements;
}

export type Printed = { readonly status: number | null; readonly printed: string };

export class Shell {
  readonly #variables: string;
  readonly #options: RunAs & { readonly cwd: string; readonly env: Readonly<Record<string, string>> };

  /** @param folder of this shell's own. @param env beside what the statements set. @param runAs the user who types. */
  constructor(folder: string, cwd: string, env: Readonly<Record<string, string>>, runAs: RunAs = {}) {
    this.#variables = join(folder, 'variables.sh');
    this.#options = { cwd, env, ...runAs };
    if (existsSync(this.#variables)) return;
    writeFileSync(this.#variables, '');
    if (runAs.uid !== undefined && runAs.gid !== undefined) chownSync(this.#variables, runAs.uid, runAs.gid);
  }

  /** @param typed the standard input of the statement. */
  async run(statement: string, typed = ''): Promise<Printed> {
    const script = `set -a; . ${this.#variables}\n${statement}\nstatus=$?; export -p >${this.#variables}; exit $status`;
    const child = this.#spawn(script);
    const printed = outputOf(child);
    child.stdin?.on('error', () => {});
    child.stdin?.end(typed);
    const [status] = (await once(child, 'close')) as [number | null];
    return { status, printed: printed() };
  }

  /** A process that stays, under the variables of now. */
  start(command: string) {
    return this.#spawn(`. ${this.#variables}; exec env ${command}`);
  }

  #spawn(script: string) {
    // Detached: without a terminal, a question for a password is answered by the standard input.
    return startChild('bash', ['-c', script], { ...this.#options, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  }
}
