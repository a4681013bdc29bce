/** The list of common passwords, from a package. Its first use loads it, so the start of the server does not. */
import { createRequire } from 'node:module';

type Language = { readonly dictionary: Readonly<Record<string, readonly string[]>> };

let common: ReadonlySet<string> | null = null;

/** @param password in lower case. */
export function isCommonPassword(password: string): boolean {
  common ??= load();
  return common.has(password);
}

function load(): ReadonlySet<string> {
  const require = createRequire(import.meta.url);
  const { dictionary }: Language = require('@zxcvbn-ts/language-common');
  const list = dictionary['passwords-common'];
  // Without the list, every password would pass.
  if (!list || list.length < 10_000) throw new Error('@zxcvbn-ts/language-common has no list of passwords.');
  return new Set(list);
}
