/** The contents of a state's box and an arrow's card, as texts with positions. Everything is in pixels. */
import { effectWords } from '../../catalogue/calls.ts';
import { type Arm, questionOf } from '../../catalogue/read.ts';
import type { Edge, Group, GroupedState, Row } from './groups.ts';
import { type Face, linesOf, widthOf } from './text-width.ts';
import { toneOf } from './tone.ts';

/** The classes of the style sheet, with their fonts. */
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
/** Texts that belong together; `title` is their tooltip. */
export type Line = {
  readonly texts: readonly Text[];
  readonly title: string;
  /** Of a heading: the events that it names. */
  readonly events?: readonly string[];
};
export type Block = {
  readonly width: number;
  readonly height: number;
  readonly lines: readonly Line[];
  readonly rules: readonly number[];
};

const PAD = 10;
const GAP = 9;
const LEADING = 12;

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

/** A block under construction, from top to bottom. */
type Draft = { readonly lines: Line[]; readonly rules: number[]; y: number };

/** A box gets so much wider where this saves a line of a heading. */
const SPARE = 72;

const headingWidths = (groups: readonly Group[]): readonly number[] =>
  groups.map(({ events }) => widthOf(events.join(', '), FACES.event) + 2 * PAD);

export function boxOf(state: GroupedState, say: Say): Block {
  const indent = PAD + (state.isInitial ? 18 : 0);
  const name = textAt(indent, 23, 'name', state.name);
  const spec = textAt(name.x + name.width + GAP, 23, 'spec', state.spec);
  const columns = columnsOf(state.stays, say);
  const least = Math.max(columns.width, widest([name, spec]) + PAD, 220);
  const width = Math.max(least, ...headingWidths(state.stays).filter((width) => width <= least + SPARE));
  const draft: Draft = { lines: [{ texts: [name, spec], title: state.description }], rules: [], y: 25 };
  for (const words of [
    ...linesOf(state.description, FACES.words, width - 2 * PAD),
    ...(state.also ? [state.also] : []),
  ]) {
    draft.y += LEADING;
    draft.lines.push({ texts: [textAt(PAD, draft.y, 'words', words)], title: '' });
  }
  for (const group of state.stays) {
    ruleInto(draft);
    headingInto(draft, group, width);
    tableInto(draft, group, columns, width, say);
  }
  return finish(draft, width);
}

/** How guard, effects and reference of an arm are arranged: `tall` stacked, `medium` with the reference beside, `wide` in a line, as in a box. */
export type Shape = 'tall' | 'medium' | 'wide';

export function cardOf(edge: Edge, say: Say, shape: Shape): Block {
  const columns = columnsOf(edge.groups, say);
  const width = shape === 'wide' ? Math.max(columns.width, 240) : 240;
  const draft: Draft = { lines: [], rules: [], y: 1 };
  edge.groups.forEach((group, index) => {
    if (index > 0) ruleInto(draft);
    headingInto(draft, group, width);
    if (shape === 'wide') tableInto(draft, group, columns, width, say);
    else columnInto(draft, group, shape, say);
  });
  return finish(draft, 0);
}

function ruleInto(draft: Draft): void {
  draft.y += 5;
  draft.rules.push(draft.y);
  draft.y += 1;
}

function headingInto(draft: Draft, { events }: Group, width: number): void {
  linesOf(events.join(', '), FACES.event, width - 2 * PAD).forEach((words, index) => {
    draft.y += LEADING;
    draft.lines.push({ texts: [textAt(PAD, draft.y, 'event', words)], title: '', ...(index === 0 && { events }) });
  });
}

function columnInto(draft: Draft, { rows }: Group, shape: Exclude<Shape, 'wide'>, say: Say): void {
  for (const row of rows) {
    const [place, guard, effect, number, reference] = cellsOf(row, say(row));
    draft.y += LEADING;
    const first = textAt(PAD, draft.y, 'place', place.text);
    const x = first.width === 0 ? PAD : PAD + first.width + 6;
    // Without alternatives, "always" is left out.
    const cells = [...(row.arm.of === 1 && row.arm.guard === null ? [] : [guard]), effect, number];
    const below = shape === 'tall' ? [...cells, reference] : cells;
    below
      .filter(({ text }) => text !== '')
      .forEach((cell, line) => {
        if (line > 0) draft.y += LEADING;
        const own = textAt(x, draft.y, cell.kind, cell.text);
        const beside = textAt(own.x + own.width + GAP, draft.y, 'spec', shape === 'tall' ? '' : reference.text);
        draft.lines.push({ texts: line === 0 ? [first, own, beside] : [own], title: titleOf(row) });
      });
  }
}

type Columns = { readonly lefts: readonly number[]; readonly width: number };

/** The columns of a table: place, guard, effects, reference. */
function columnsOf(groups: readonly Group[], say: Say): Columns {
  const rows = groups.flatMap((group) => group.rows.map((row) => cellsOf(row, say(row))));
  const columnWidth = (column: number) =>
    Math.max(0, ...rows.map((cells) => cells[column]).map((cell) => (cell ? widthOf(cell.text, FACES[cell.kind]) : 0)));
  const lefts: number[] = [];
  let x = PAD;
  for (const column of [0, 1, 2, 4]) {
    lefts.push(x);
    const width = columnWidth(column);
    x += width === 0 ? 0 : width + GAP;
  }
  return { lefts, width: x - GAP + PAD };
}

function tableInto(draft: Draft, { rows }: Group, { lefts }: Columns, width: number, say: Say): void {
  for (const row of rows) {
    draft.y += LEADING;
    const [place, guard, effect, number, reference] = cellsOf(row, say(row));
    const texts = [place, guard, effect, reference].map((cell, index) =>
      textAt(lefts[index] ?? 0, draft.y, cell.kind, cell.text),
    );
    const beside = besideOf(texts, number.text, lefts[3] ?? 0, width);
    draft.lines.push({ texts: beside ? [...texts, beside] : texts, title: titleOf(row) });
    if (number.text === '' || beside) continue;
    draft.y += LEADING;
    draft.lines.push({ texts: [textAt(lefts[1] ?? 0, draft.y, 'number', number.text)], title: titleOf(row) });
  }
}

/** Puts a number where the row has room: after the effects, or at the end. Null: it needs its own line. */
function besideOf(texts: readonly Text[], number: string, specLeft: number, width: number): Text | null {
  const written = texts.filter(({ text }) => text !== '');
  const y = texts[0]?.y ?? 0;
  const after = textAt(widest(written.filter(({ kind }) => kind !== 'spec')) + GAP, y, 'number', number);
  if (after.x + after.width + GAP <= specLeft) return after;
  const last = textAt(widest(written) + GAP, y, 'number', number);
  return last.x + last.width + PAD <= width ? last : null;
}

function finish({ lines, y, rules }: Draft, minWidth: number): Block {
  const shown = lines.map((line) => ({ ...line, texts: line.texts.filter(({ text }) => text !== '') }));
  const width = Math.max(minWidth, ...shown.map(({ texts }) => widest(texts) + PAD));
  return { width: Math.ceil(width), height: Math.ceil(y + 9), lines: shown, rules };
}
