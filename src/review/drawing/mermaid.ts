/** A machine as a Mermaid state diagram, which GitHub draws in Markdown. */
import { effectWords } from '../../catalogue/calls.ts';
import { type Machine, questionOf } from '../../catalogue/read.ts';
import { type Group, grouped } from './groups.ts';
import { type Numbers, numbersOf } from './policy-numbers.ts';

export function mermaidOf(read: Machine, numbers: Numbers): string {
  const machine = grouped(read);
  const ids = new Map(machine.states.map(({ name }, index) => [name, idOf(name, index)]));
  const id = (name: string) => ids.get(name) ?? '';
  const linesOf = (groups: readonly Group[]) =>
    groups.flatMap(({ events, rows }) =>
      rows.map(({ arm, place }) => {
        const question = [place, questionOf(arm)].filter(Boolean).join(' ');
        const effects = arm.effects.map(effectWords).join(', ') || 'no effect';
        const more = [numbersOf(machine.name, arm, numbers), arm.also, arm.spec].filter(Boolean).join(', ');
        return text(`${events.join(', ')} [${question}] / ${effects}${more === '' ? '' : ` (${more})`}`);
      }),
    );
  return [
    'stateDiagram-v2',
    ...(machine.also === '' ? [] : [`  accDescr: ${text(machine.also)}`]),
    ...machine.states.flatMap(({ name, isInitial, description, spec, also }) => [
      `  state "${text(name)}" as ${id(name)}`,
      ...(isInitial ? [`  [*] --> ${id(name)}`] : []),
      ...[description, also, spec].filter(Boolean).map((words) => `  ${id(name)} : ${text(words)}`),
    ]),
    ...machine.edges.map(({ from, to, groups }) => `  ${id(from)} --> ${id(to)} : ${linesOf(groups).join('<br/>')}`),
    ...machine.states
      .filter(({ stays }) => stays.length > 0)
      .flatMap(({ name, stays }) => [
        `  note right of ${id(name)}`,
        ...linesOf(stays).map((line) => `    ${line}`),
        '  end note',
      ]),
    '',
  ].join('\n');
}

/** Keywords of Mermaid; a state with such a name gets another id. */
const RESERVED = [
  'state',
  'note',
  'end',
  'direction',
  'default',
  'class',
  'classdef',
  'style',
  'as',
  'fork',
  'join',
  'choice',
];

const idOf = (name: string, index: number): string =>
  /^[a-z][A-Za-z]*$/.test(name) && !RESERVED.includes(name.toLowerCase()) ? name : `state${index + 1}`;

/** Escapes as entity codes all characters that could end a label or be read as markup; removes line breaks. */
const text = (words: string): string =>
  words
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .replaceAll(/[^\p{L}\p{N} ,.()[\]/§·_=-]/gu, (sign) => `#${sign.codePointAt(0)};`)
    .replaceAll('--', '-#45;');
