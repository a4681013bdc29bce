/** What stands in a state's box and on an arrow's card, as texts with their places. Everything in pixels. */
import { effectWords } from '../machine/calls.ts';
import { type Arm, questionOf } from '../machine/read.ts';
import type { Edge, Group, GroupedState, Row } from './groups.ts';
import { type Face, linesOf, widthOf } from './text-width.ts';
import { toneOf } from './tone.ts';

/** A class of the style sheet, with the face that it has there. */
export const FACES = {
  title: { size: 18, bold: true },
  name: { size: 15, bold: true },
  event: { size: 11, bold: true },
  guard: { size: 11, bold: false },
  effect: { size: 11, bold: false },
  issues: { size: 11, bold: false },
  ends: { size: 11, bold: false },
  nothing: { size: 11, bold: false },
  number: { size: 11, bold: true },
  place: { size: 10, bold: false },
  spec: { size: 9.5, bold: false },
  words: { size: 11, bold: false },
} as const satisfies Readonly<Record<string, Face>>;
export type Kind = keyof typeof FACES;

export type Text = {
  readonly x: number;
  /** Of the baseline. */
  readonly y: number;
  readonly kind: Kind;
  readonly text: string;
  readonly width: number;
};
/** Texts that belong together, with what a pointer that rests on them is told. */
export type Line = { readonly texts: readonly Text[]; readonly title: string };
export type Block = {
  readonly width: number;
  readonly height: number;
  readonly lines: readonly Line[];
  readonly rules: readonly number[];
};

const PAD = 10;
const GAP = 9;
const LEADING = 15;

export const textAt = (x: number, y: number, kind: Kind, text: string): Text => ({
  x,
  y,
  kind,
  text,
  width: widthOf(text, FACES[kind]),
});

const widest = (texts: readonly Text[]): number => Math.max(0, ...texts.map(({ x, width }) => x + width));

export type Say = (row: Row) => string;

const NO_EFFECT = 'no effect';

type Cell = { readonly kind: Kind; readonly text: string };

/** Place, question, effects, numbers, reference. */
function cellsOf({ arm, place }: Row, says: string): readonly [Cell, Cell, Cell, Cell, Cell] {
  return [
    { kind: 'place', text: place },
    { kind: 'guard', text: questionOf(arm) },
    {
      kind: kindOf(arm),
      text: [arm.effects.map(effectWords).join(', ') || NO_EFFECT, arm.also].filter(Boolean).join('; '),
    },
    { kind: 'number', text: says },
    { kind: 'spec', text: arm.spec },
  ];
}

const kindOf = (arm: Arm): Kind => (arm.effects.length === 0 ? 'nothing' : (toneOf([arm]) ?? 'effect'));

const titleOf = ({ arm }: Row): string => arm.description;

export function boxOf(state: GroupedState, say: Say): Block {
  const rows = state.stays.flatMap(({ rows: those }) => those.map((row) => cellsOf(row, say(row))));
  const columnWidth = (column: number) =>
    Math.max(0, ...rows.map((cells) => cells[column]).map((cell) => (cell ? widthOf(cell.text, FACES[cell.kind]) : 0)));
  const columns: number[] = [];
  let x = PAD;
  for (const column of [0, 1, 2, 4]) {
    columns.push(x);
    const width = columnWidth(column);
    x += width === 0 ? 0 : width + GAP;
  }
  const tableWidth = x - GAP + PAD;
  const indent = PAD + (state.isInitial ? 18 : 0);
  const name = textAt(indent, 23, 'name', state.name);
  const spec = textAt(name.x + name.width + GAP, 23, 'spec', state.spec);
  const width = Math.max(tableWidth, widest([name, spec]) + PAD, 220);
  const lines: Line[] = [{ texts: [name, spec], title: state.description }];
  let y = 25;
  for (const words of [
    ...linesOf(state.description, FACES.words, width - 2 * PAD),
    ...(state.also ? [state.also] : []),
  ]) {
    y += LEADING;
    lines.push({ texts: [textAt(PAD, y, 'words', words)], title: '' });
  }
  const rules: number[] = [];
  for (const group of state.stays) {
    y += 8;
    rules.push(y);
    y += 1;
    y = headingInto(lines, group, y, width);
    for (const row of group.rows) {
      y += LEADING;
      const [place, guard, effect, number, reference] = cellsOf(row, say(row));
      const texts = [place, guard, effect, reference].map((cell, index) =>
        textAt(columns[index] ?? 0, y, cell.kind, cell.text),
      );
      lines.push({ texts, title: titleOf(row) });
      if (number.text) {
        y += LEADING - 1;
        lines.push({ texts: [textAt(columns[1] ?? 0, y, 'number', number.text)], title: titleOf(row) });
      }
    }
  }
  return finish(lines, y, width, rules);
}

function headingInto(lines: Line[], { events }: Group, from: number, width: number): number {
  let y = from;
  for (const words of linesOf(events.join(', '), FACES.event, width - 2 * PAD)) {
    y += LEADING;
    lines.push({ texts: [textAt(PAD, y, 'event', words)], title: '' });
  }
  return y;
}

export function cardOf(edge: Edge, say: Say): Block {
  const lines: Line[] = [];
  const rules: number[] = [];
  let y = 1;
  edge.groups.forEach((group, index) => {
    if (index > 0) {
      y += 7;
      rules.push(y);
      y += 1;
    }
    y = headingInto(lines, group, y, 240);
    for (const row of group.rows) {
      const [place, guard, effect, number, reference] = cellsOf(row, say(row));
      y += LEADING;
      const first = textAt(PAD, y, 'place', place.text);
      const x = first.width === 0 ? PAD : PAD + first.width + 6;
      // What an event does always is said by its name alone.
      const cells = [...(row.arm.of === 1 && row.arm.guard === null ? [] : [guard]), effect, number, reference];
      cells
        .filter(({ text }) => text !== '')
        .forEach((cell, line) => {
          if (line > 0) y += LEADING - 1;
          const own = textAt(x, y, cell.kind, cell.text);
          lines.push({ texts: line === 0 ? [first, own] : [own], title: titleOf(row) });
        });
    }
  });
  return finish(lines, y, 0, rules);
}

function finish(lines: readonly Line[], y: number, least: number, rules: readonly number[]): Block {
  const shown = lines.map((line) => ({ ...line, texts: line.texts.filter(({ text }) => text !== '') }));
  const width = Math.max(least, ...shown.map(({ texts }) => widest(texts) + PAD));
  return { width: Math.ceil(width), height: Math.ceil(y + 9), lines: shown, rules };
}
