/**
 * A secret of the environment, from its variable or from a file, as Docker and Kubernetes hand secrets out: `NAME_FILE` is the path of the
 * file with what `NAME` would hold. Neither a value nor a path is ever in an error: a secret may stand in the wrong variable.
 */
import { readText } from './text-file.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

export class EnvironmentError extends Error {
  constructor(problems: readonly string[]) {
    super(`The environment is refused:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'EnvironmentError';
  }
}

export type SecretVariable = { readonly value: string | null } | { readonly problem: string };

/** The file is read at each call, so that a reload finds what a rotation put there. Line breaks at its end are no part of the secret. */
export function readSecretVariable(variables: Variables, name: string): SecretVariable {
  const value = variables[name];
  const path = variables[`${name}_FILE`]?.trim();
  if (!path) return { value: value?.trim() ? value : null };
  if (value?.trim()) return { problem: `${name} and ${name}_FILE are both set. Set one of them.` };
  const file = readText(path);
  if (!file.ok) return { problem: `${name}_FILE: Expected the path of ${file.allowed}, found ${file.found}.` };
  const text = file.text.replace(/[\r\n]+$/, '');
  if (text.trim() === '') return { problem: `${name}_FILE: Expected a file with the secret, found an empty file.` };
  return { value: text };
}

/** @returns null: neither is set. @throws EnvironmentError that names the variable. */
export function secretVariable(variables: Variables, name: string): string | null {
  const read = readSecretVariable(variables, name);
  if ('problem' in read) throw new EnvironmentError([read.problem]);
  return read.value;
}

/** Of the error about a variable that is not set. The command works without a running server. */
export const secretExpected = (name: string): string =>
  `a variable that holds the secret, or "statehouse secrets set ${name}"`;
