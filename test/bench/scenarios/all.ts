/** Each round walks them in this order: the next one presents the tokens of the one before. */
import { wholeAuthorization } from './authorization.ts';
import { firstSignIn } from './first-sign-in.ts';
import { introspection } from './introspection.ts';
import { provenRotation } from './proven.ts';
import type { Scenario } from './scenario.ts';
import { clientCredentials, codeExchange, repeat, reuse, rotation } from './token-requests.ts';

export const scenarios: readonly Scenario[] = [
  wholeAuthorization,
  firstSignIn,
  clientCredentials,
  codeExchange,
  introspection,
  rotation,
  provenRotation,
  reuse,
  repeat,
];

/** Those named, and those that leave what they present. */
export const withNeeded = (names: ReadonlySet<string>): readonly Scenario[] => {
  const chosen = scenarios.filter(({ name }) => names.has(name));
  const wanted = new Set(chosen.flatMap(({ name, needs }) => [name, ...needs]));
  return scenarios.filter(({ name }) => wanted.has(name));
};
