/** A machine as self-contained SVG, for light and dark mode, without scripts, fonts or external resources. */
import type { Machine } from '../../catalogue/read.ts';
import { type Block, boxOf, cardOf, type Line, type Say, type Shape, type Text, textAt } from './blocks.ts';
import { type Edge, type Grouped, type GroupedState, grouped } from './groups.ts';
import { type Layout, layOut, type Point, type Size, scaleOf } from './layout.ts';
import { type LegendItem, legendOf } from './legend.ts';
import { titleOf } from './names.ts';
import { type Numbers, numbersOf, sourceOf } from './policy-numbers.ts';
import { STYLE } from './style.ts';
import { type Tone, toneOf } from './tone.ts';
import { markup } from './xml.ts';

const MARGIN = 22;
const HEAD = 44;
const MIN_WIDTH = 440;

export async function svgOf(read: Machine, numbers: Numbers): Promise<string> {
  const machine = grouped(read);
  const say: Say = ({ arm }) => numbersOf(machine.name, arm, numbers);
  const title = textAt(MARGIN, 30, 'title', titleOf(machine.name));
  const also = textAt(title.x + title.width + MARGIN, 30, 'words', machine.also);
  const minWidth = Math.max(MIN_WIDTH, also.x + also.width - 2 * MARGIN);
  const [source, signs] = [sourceOf(machine.name, numbers), signsIn(machine, say)];
  const frame = (inner: Size) => {
    const width = Math.max(inner.width, minWidth);
    const { lines: legend, height: foot } = legendOf(width, source, signs);
    return { width: width + 2 * MARGIN, height: HEAD + inner.height + MARGIN + foot, legend, foot };
  };
  const { graph, layout } = await layOut(graphsOf(machine, say), frame);
  const { boxes, cards } = graph;
  const { width, height, legend, foot } = frame(layout);
  const scale = scaleOf({ width, height });
  const left = Math.round((width - layout.width) / 2);
  const at = ({ x, y }: Point): Point => ({ x: x + left, y: y + HEAD });
  // Unique per machine, since a page can contain several pictures.
  const id = `title-${machine.name.replaceAll(/[^A-Za-z]/g, '')}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${Math.floor(width * scale)}" height="${Math.floor(height * scale)}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}">`,
    markup`<title id="${id}">${title.text}: its states, and what each event does in them</title>`,
    `<style>\n${STYLE}\n</style>`,
    `<rect class="paper" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="10"/>`,
    textOf(title),
    machine.also === '' ? '' : textOf(also),
    ...machine.edges.map((edge, index) => arrowOf(edge, layout.arrows[index], at)),
    ...machine.states.map((state, index) =>
      stateOf(state, isLast(state, machine.edges), boxes[index], at(layout.boxes[index] ?? ORIGIN)),
    ),
    ...machine.edges.map((edge, index) =>
      blockOf(
        cards[index],
        at(layout.arrows[index]?.card ?? ORIGIN),
        markup`class="card ${toneOfEdge(edge)}" data-from="${edge.from}" data-to="${edge.to}"`,
        5,
        '',
      ),
    ),
    ...legend.map((item) => itemOf(item, height - foot)),
    '</svg>\n',
  ]
    .filter(Boolean)
    .join('\n');
}

/** The easiest to read first. A card gets the first shape in which it is at most this high, or the last shape. */
const CARDS: readonly (readonly [shapes: readonly Shape[], maxHeight: number])[] = [
  [['tall'], 0],
  [['tall', 'medium'], 120],
  [['medium'], 0],
  [['medium', 'wide'], 120],
  [['tall', 'wide'], 80],
  [['wide'], 0],
];

function graphsOf(machine: Grouped, say: Say) {
  const boxes = machine.states.map((state) => boxOf(state, say));
  const indexOf = (name: string) => machine.states.findIndex((state) => state.name === name);
  return CARDS.map(([shapes, maxHeight]) => {
    const cards = machine.edges.map((edge) => {
      const tried = shapes.map((shape) => cardOf(edge, say, shape));
      return tried.find(({ height }) => height <= maxHeight) ?? tried.at(-1);
    });
    const arrows = machine.edges.map(({ from, to }, index) => ({
      ...sizeOf(cards[index]),
      from: indexOf(from),
      to: indexOf(to),
    }));
    return { boxes, cards, arrows };
  });
}

const sizeOf = ({ width = 0, height = 0 }: Partial<Size> = {}): Size => ({ width, height });

/** The legend explains only the signs that occur. */
function signsIn({ states, edges }: Grouped, say: Say): ReadonlySet<LegendItem['sign']> {
  const rows = [...states.flatMap(({ stays }) => stays), ...edges.flatMap(({ groups }) => groups)].flatMap(
    (group) => group.rows,
  );
  return new Set<LegendItem['sign']>([
    ...(states.some(({ isInitial }) => isInitial) ? ['dot' as const] : []),
    ...(states.some((state) => isLast(state, edges)) ? ['last' as const] : []),
    ...(rows.some(({ place }) => place !== '') ? ['places' as const] : []),
    ...edges.map(toneOfEdge),
    ...(rows.some((row) => say(row) !== '') ? ['numbers' as const] : []),
  ]);
}

const isLast = ({ name }: GroupedState, edges: readonly Edge[]): boolean => edges.every(({ from }) => from !== name);

const ORIGIN: Point = { x: 0, y: 0 };

function stateOf(
  { name, isInitial }: GroupedState,
  nothingLeadsOut: boolean,
  box: Block | undefined,
  place: Point,
): string {
  const { width = 0, height = 0 } = box ?? {};
  const inner = `<rect class="inner" x="3" y="3" width="${width - 6}" height="${height - 6}" rx="6"/>`;
  return blockOf(
    box,
    place,
    markup`class="state" data-state="${name}"`,
    8,
    `${nothingLeadsOut ? inner : ''}${isInitial ? '<circle class="dot" cx="16" cy="18" r="5"/>' : ''}`,
  );
}

function itemOf({ sign, x, y, words }: LegendItem, top: number): string {
  return `<g transform="translate(0 ${top})">${SIGNS[sign](x, y)}${textOf(words)}</g>`;
}

const SIGNS: Readonly<Record<LegendItem['sign'], (x: number, y: number) => string>> = {
  dot: (x, y) => `<circle class="dot" cx="${x + 9}" cy="${y - 4}" r="5"/>`,
  last: (x, y) =>
    `<g class="state"><rect x="${x}" y="${y - 11}" width="18" height="14" rx="3"/><rect class="inner" x="${x + 2.5}" y="${y - 8.5}" width="13" height="9" rx="1.5"/></g>`,
  places: (x, y) => textOf(textAt(x, y, 'place', '1 2')),
  issues: (x, y) => cardSign(x, y, 'issues'),
  ends: (x, y) => cardSign(x, y, 'ends'),
  moves: (x, y) => cardSign(x, y, 'moves'),
  numbers: (x, y) => textOf(textAt(x, y, 'number', '60 s')),
};
const cardSign = (x: number, y: number, tone: string): string =>
  `<g class="card ${tone}"><rect x="${x}" y="${y - 11}" width="18" height="14" rx="3"/></g>`;

/** @param attributes for programs that add to the picture, such as numbers: the meaning of the block. */
function blockOf(block: Block | undefined, { x, y }: Point, attributes: string, radius: number, more: string): string {
  if (block === undefined) return '';
  const rules = block.rules.map((rule) => `<path class="rule" d="M4 ${rule}H${block.width - 4}"/>`).join('');
  return [
    `<g ${attributes} transform="translate(${x} ${y})">`,
    `<rect width="${block.width}" height="${block.height}" rx="${radius}"/>${more}${rules}`,
    ...block.lines.map(lineOf),
    '</g>',
  ].join('\n');
}

const lineOf = ({ texts, title, events }: Line): string =>
  `<g${events ? markup` data-events="${events.join(' ')}"` : ''}>${title === '' ? '' : markup`<title>${title}</title>`}${texts.map(textOf).join('')}</g>`;

const textOf = ({ x, y, kind, text, width }: Text): string =>
  markup`<text class="${kind}" x="${x}" y="${y}" textLength="${width}" lengthAdjust="spacingAndGlyphs">${text}</text>`;

const toneOfEdge = (edge: Edge): Tone | 'moves' =>
  toneOf(edge.groups.flatMap(({ rows }) => rows.map(({ arm }) => arm))) ?? 'moves';

function arrowOf(edge: Edge, arrow: Layout['arrows'][number] | undefined, at: (point: Point) => Point): string {
  if (arrow === undefined) return '';
  const lines = arrow.curves.map((curve) => `<path class="line" d="${curveOf(curve.map(at))}"/>`).join('');
  const from = arrow.curves.at(-1)?.at(-1) ?? arrow.tip;
  const title = markup`<title>from ${edge.from} to ${edge.to}</title>`;
  return `<g class="arrow ${toneOfEdge(edge)}">${title}${lines}<path class="tip" d="${tipOf(at(from), at(arrow.tip))}"/></g>`;
}

const place = ({ x, y }: Point) => `${x} ${y}`;

const curveOf = ([start, ...others]: readonly Point[]): string =>
  start ? `M${place(start)}${others.length > 0 ? `C${others.map(place).join(' ')}` : ''}` : '';

/** A triangle from the end of the line to the box. */
function tipOf(from: Point, to: Point): string {
  const length = Math.sqrt((to.x - from.x) ** 2 + (to.y - from.y) ** 2) || 1;
  const [dx, dy] = [((to.x - from.x) / length) * 5, ((to.y - from.y) / length) * 5];
  const corner = (x: number, y: number) => place({ x: Math.round(x * 10) / 10, y: Math.round(y * 10) / 10 });
  return `M${place(to)}L${corner(from.x - dy, from.y + dx)}L${corner(from.x + dy, from.y - dx)}Z`;
}
