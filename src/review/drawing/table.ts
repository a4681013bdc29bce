/** A machine as Markdown tables: for each state every event with its guards, in order, and their consequences. */

import { type Call, effectWords } from '../../catalogue/calls.ts';
import { type Arm, type Machine, questionOf, type State } from '../../catalogue/read.ts';
import { REFUSALS, type Refusal } from '../../oauth/refusals.ts';
import { type Numbers, numbersOf } from './policy-numbers.ts';

const COLUMNS = ['event', 'asked', 'guard', 'next state', 'effects', 'the client receives', 'because', 'reference'];

export function tableOf(machine: Machine, numbers: Numbers): string {
  const tables = machine.states
    .map((state) => {
      const rows = state.arms.map((arm) => cellsOf(machine.name, arm, numbersOf(machine.name, arm, numbers)));
      return `${headOf(state)}\n\n${[COLUMNS, COLUMNS.map(() => '---'), ...rows].map(line).join('\n')}\n`;
    })
    .join('\n');
  return machine.also === '' ? tables : `${text(machine.also)}\n\n${tables}`;
}

function headOf({ name, isInitial, description, spec, also }: State): string {
  const words = [`${text(description)}${isInitial ? ' It begins here.' : ''}`, text(also), text(spec)];
  return `#### ${text(name)}\n\n${words.filter(Boolean).join(' · ')}`;
}

function cellsOf(machine: string, arm: Arm, says: string): readonly string[] {
  return [
    code(arm.event),
    `${arm.place} of ${arm.of}`,
    [arm.guard === null ? questionOf(arm) : code(arm.guard), text(says)].filter(Boolean).join('<br>'),
    arm.to === arm.state ? 'stays' : code(arm.to),
    [arm.effects.map((effect) => code(effectWords(effect))).join(', ') || 'none', text(arm.also)]
      .filter(Boolean)
      .join('<br>'),
    arm.effects
      .map((effect) => responseOf(machine, effect))
      .filter(Boolean)
      .join(', '),
    text(arm.description),
    text(arm.spec),
  ];
}

const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

/** The response of an effect on the wire; empty: none. */
function responseOf(machine: string, { name, params }: Call): string {
  const param = String(Object.values(params)[0] ?? '');
  if (name === 'refuseAuthorization' || name === 'refuseSilently') return `${code(param)}, by redirect`;
  if (name === 'issueTokens') return 'tokens';
  if (name === 'issueCode') return 'a code, by redirect';
  if (name !== 'reject') return '';
  // The end-user sees a page; the client does not learn why.
  if (machine === 'interaction') return 'nothing: the end-user sees a page';
  if (machine === 'session') return 'nothing: the browser is not signed in';
  const refusal: Refusal | undefined = new Map<string, Refusal>(Object.entries(REFUSALS)).get(param);
  return refusal === undefined ? '' : `${code(refusal.error)} (${refusal.status})`;
}

/** Escapes markup in the text of a cell. */
const text = (words: string): string =>
  words.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*[\]<>&|~#!]|(?<!\w)_|_(?!\w)/g, (sign) => `&#${sign.codePointAt(0)};`);

/** As `text`, in monospace; a backtick cannot end it. */
const code = (words: string): string =>
  /[`|\\<>&\s]/.test(words.replaceAll(' ', '')) ? `<code>${text(words)}</code>` : `\`${words}\``;
