/**
 * A machine's configuration as XState JSON: guards and actions by name, descriptions and references kept. Stately's editor
 * opens it (Import from code: `createMachine(` … `)`); XState makes the same machine of it, given guards and actions.
 */
import { functionsAsWords, type MachineConfig, readMachine } from './arms.ts';
import { type Numbers, numbersOf } from './policy-numbers.ts';

export function jsonOf(config: MachineConfig, numbers: Numbers): string {
  // Two arms may be one object in the machine's file; here each is its own.
  const copy = JSON.parse(JSON.stringify(config, functionsAsWords)) as Written;
  for (const { state, event, place, ...arm } of readMachine(config).states.flatMap(({ arms }) => arms)) {
    const says = numbersOf(config.id ?? '', { state, event, place, ...arm }, numbers);
    const written = [copy.states[state]?.on?.[event] ?? []].flat()[place - 1];
    if (says !== '' && written !== undefined) written.meta = { ...written.meta, policy: says };
  }
  return `${JSON.stringify(copy, null, 2)}\n`;
}

type WrittenArm = { meta?: object };
type Written = { readonly states: Readonly<Record<string, { on?: Record<string, WrittenArm | WrittenArm[]> }>> };
