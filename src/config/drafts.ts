/** Drafts of policy files: their texts, and the configuration with a draft in it. */
import { join } from 'node:path';
import type { Configuration } from './configuration.ts';
import { DRAFTABLE_FILE, type Draft, filesOf, loadConfiguration } from './load.ts';
import { ConfigurationError, describeProblem } from './problem.ts';
import { readText } from './text-file.ts';

/** @throws ConfigurationError when the folder cannot be read. */
export const draftableFiles = (folder: string): readonly string[] =>
  filesOf(folder).filter((file) => DRAFTABLE_FILE.test(file));

/** As it stands in the folder of this node. Null: not found, or not for drafts. */
export function textOfFile(folder: string, file: string): string | null {
  if (!draftableFiles(folder).includes(file)) return null;
  const read = readText(join(folder, file));
  return read.ok ? read.text : null;
}

export type DraftProblem = { readonly file: string; readonly line: number | null; readonly says: string };
export type Drafted =
  | { readonly ok: true; readonly configuration: Configuration }
  | { readonly ok: false; readonly problems: readonly DraftProblem[] };

/**
 * The configuration in force, with the policies and resources of the folder and the draft. The folder is checked as a whole, as at a reload.
 */
export function draftedConfiguration(inForce: Configuration, folder: string, issuer: string, draft: Draft): Drafted {
  try {
    const { policies, resources } = loadConfiguration(folder, issuer, draft);
    return { ok: true, configuration: { ...inForce, policies, resources } };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return {
      ok: false,
      problems: error.problems.map((problem) => ({
        file: problem.file,
        line: problem.line,
        says: describeProblem(problem),
      })),
    };
  }
}
