/**
 * A machine's configuration as XState JSON: guards and actions by name, descriptions and references kept. Stately's editor
 * opens it (Import from code: `createMachine(` … `)`); with guards and actions, XState makes the same machine from it.
 */
import { isComposed, readGuard } from '../../catalogue/guards.ts';
import type { Machine } from '../../catalogue/read.ts';
import { INLINE } from '../../catalogue/words.ts';
import { type Numbers, numbersOf } from './policy-numbers.ts';

export function jsonOf(machine: Machine, numbers: Numbers): string {
  const arms = machine.states.flatMap((state) => state.arms);
  const numbersAt = new Map(arms.map((arm) => [arm.written, numbersOf(machine.name, arm, numbers)]));
  const inJson = (_key: string, value: unknown): unknown => {
    // JSON cannot express `and`, `or` and `not`, so such a guard becomes a name with the same words.
    if (typeof value === 'function') return isComposed(value) ? readGuard(value).words : INLINE;
    const policy = numbersAt.get(value) ?? '';
    return policy === '' ? value : { ...(value as Arm), meta: { ...(value as Arm).meta, policy } };
  };
  return `${JSON.stringify(machine.written, inJson, 2) ?? 'null'}\n`;
}

type Arm = { readonly meta?: object };
