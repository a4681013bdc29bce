/**
 * Generates all files that derive from the machines, the OpenAPI document of the management API, and the type of the texts
 * (`npm run machines:build`). With `--check` it fails when a committed file is out of date. It then names those of the first generator
 * that has one: one command writes them all.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { machinePages } from './drawing/machines-readme.ts';
import { openApiCopy } from './openapi-copy.ts';
import { scenarioPages } from './simulation/pages.ts';
import { triggersFile } from './sql/triggers-file.ts';
import { wordsArguments } from './words-arguments.ts';

type Generated = readonly { readonly path: string; readonly text: string }[];

/** `path` is relative to the root of the repository. Scenarios come last: their database has the triggers. */
const GENERATORS: readonly (() => Generated | Promise<Generated>)[] = [
  machinePages,
  triggersFile,
  openApiCopy,
  wordsArguments,
  scenarioPages,
];

const absolutePath = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

function stored(path: string): string | null {
  try {
    return readFileSync(absolutePath(path), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

const check = process.argv.includes('--check');
for (const generate of GENERATORS) {
  for (const generated of await generate()) settle(generated);
  if (process.exitCode !== undefined) break;
}

function settle({ path, text }: Generated[number]): void {
  const before = stored(path);
  if (before === text) return;
  if (check) {
    const how = before === null ? 'is missing' : 'is out of date';
    process.stderr.write(`${path} ${how}: run "npm run machines:build" and commit what it writes.\n`);
    process.exitCode = 1;
  } else {
    mkdirSync(dirname(absolutePath(path)), { recursive: true });
    writeFileSync(absolutePath(path), text);
    process.stdout.write(`${before === null ? 'made' : 'replaced'}  ${path}\n`);
  }
}
