/** A side of a comparison: a folder of policies with the machines of this installation, or a git revision with its own machines. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { AnyStateMachine } from 'xstate';
import type { Configuration } from '../../config/configuration.ts';
import { loadConfiguration } from '../../config/load.ts';
import { ReportedError } from '../../system/reported-error.ts';

export type Side = {
  readonly name: string;
  readonly configuration: Configuration;
  readonly machines: readonly AnyStateMachine[];
  /** The predicates that several guards share, and the bounds that they name, by name. */
  readonly sharedPredicates: Readonly<Record<string, unknown>>;
};

/** Neither a folder nor a revision, or a revision without machines and policies. The message repeats the name. */
export class NoSuchSide extends ReportedError {}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** @throws NoSuchSide, ConfigurationError. */
export async function readSide(name: string, issuer: string): Promise<Side> {
  if (existsSync(name) && statSync(name).isDirectory()) {
    return { name, configuration: loadConfiguration(name, issuer), ...(await machinesIn(join(ROOT, 'machines'))) };
  }
  return readRevision(name, issuer);
}

async function readRevision(name: string, issuer: string): Promise<Side> {
  const commit = commitOf(name);
  // Inside this checkout, so that the machines find their imports; outside node_modules, where Node does not run TypeScript.
  mkdirSync(join(ROOT, '.statehouse'), { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(join(ROOT, '.statehouse', 'revision-'));
  try {
    extract(commit, folder, name);
    const decides = await machinesIn(join(folder, 'machines'));
    return { name, configuration: loadConfiguration(join(folder, 'policies'), issuer), ...decides };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function extract(commit: string, folder: string, name: string): void {
  try {
    const archive = git(['archive', '--format=tar', commit, 'machines', 'policies']);
    execFileSync('tar', ['-x', '-C', folder], { input: archive, stdio: ['pipe', 'ignore', 'ignore'] });
  } catch {
    throw new NoSuchSide(`${JSON.stringify(name)} has no machines and policies.`);
  }
}

function commitOf(name: string): string {
  // A name that begins with a dash would be an option of git.
  if (name.startsWith('-')) throw new NoSuchSide(`${JSON.stringify(name)} is neither a folder nor a git revision.`);
  try {
    return git(['rev-parse', '--verify', '--quiet', `${name}^{commit}`])
      .toString('utf8')
      .trim();
  } catch {
    throw new NoSuchSide(`${JSON.stringify(name)} is neither a folder nor a git revision of this checkout.`);
  }
}

const MAX_BYTES = 64 * 1024 * 1024;
const git = (args: readonly string[]): Buffer =>
  execFileSync('git', ['-C', ROOT, ...args], { maxBuffer: MAX_BYTES, stdio: ['ignore', 'pipe', 'ignore'] });

async function machinesIn(folder: string): Promise<Pick<Side, 'machines' | 'sharedPredicates'>> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const modules = await Promise.all(files.map((file) => machineFile(folder, file)));
  return {
    machines: modules.flatMap((module) => Object.values(module).filter(isMachine)),
    sharedPredicates: Object.assign(
      {},
      ...modules.flatMap(({ sharedPredicates, BOUNDS }) => [sharedPredicates, BOUNDS]),
    ),
  };
}

/** @throws NoSuchSide with file and line, without the temporary folder of a revision. */
export async function machineFile(folder: string, file: string): Promise<Record<string, unknown>> {
  try {
    return (await import(pathToFileURL(join(folder, file)).href)) as Record<string, unknown>;
  } catch (error) {
    const { message, stack = '' } = error as Error;
    const line = stack.split(`${file}:`)[1]?.match(/^\d+/)?.[0];
    const words = message.replaceAll(`${folder}/`, '');
    throw new NoSuchSide(`${file}${line === undefined ? '' : `:${line}`}: cannot be read: ${words}`);
  }
}

const isMachine = (value: unknown): value is AnyStateMachine =>
  typeof value === 'object' && value !== null && 'config' in value && 'implementations' in value;
