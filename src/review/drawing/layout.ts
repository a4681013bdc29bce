/** The positions of boxes, arrows and cards. Graphviz computes them from sizes and connections; it gets no names. */
import type { Graphviz } from '@hpcc-js/wasm-graphviz';

export type Size = { readonly width: number; readonly height: number };
export type Point = { readonly x: number; readonly y: number };

export type Graph = {
  readonly boxes: readonly Size[];
  /** Each with the size of its card, and the indexes of the boxes that it connects. */
  readonly arrows: readonly (Size & { readonly from: number; readonly to: number })[];
};
export type Layout = Size & {
  /** Upper left corners, in the order of the graph. */
  readonly boxes: readonly Point[];
  readonly arrows: readonly {
    readonly card: Point;
    /** From the box to the card, and from the card to the tip. A start, then three points for each cubic Bézier curve. */
    readonly curves: readonly (readonly Point[])[];
    readonly tip: Point;
  }[];
};

/** A reviewer's screen. */
const SCREEN: Size = { width: 1280, height: 800 };

/** The scale at which the whole picture fits a screen; 1: it fits as it is. */
export const scaleOf = ({ width, height }: Size): number => Math.min(1, SCREEN.width / width, SCREEN.height / height);

/**
 * States are stacked, to be read from top to bottom, also on a phone; where that does not fit a screen, rows hold several states.
 * The first layout that fits is taken, otherwise the layout with the largest scale.
 * @param graphs the same graph with cards of different shapes, the best first.
 * @param framed the size of the whole picture around a layout.
 */
export async function layOut<G extends Graph>(
  graphs: readonly G[],
  framed: (inner: Size) => Size,
): Promise<{ readonly graph: G; readonly layout: Layout }> {
  const graphviz = await loadGraphviz();
  let best: { readonly graph: G; readonly layout: Layout; readonly scale: number } | null = null;
  const boxes = graphs[0]?.boxes ?? [];
  for (const rows of waysToFill(boxes.length)) {
    // Graphviz is slow, so rows that are too large even without cards are skipped.
    if (best !== null && scaleOf(framed(minSize(boxes, rows))) < best.scale) continue;
    for (const graph of graphs) {
      const layout = layoutOf(graph, JSON.parse(graphviz.layout(asDot(graph, rows), 'json', 'dot')) as Drawn);
      const scale = scaleOf(framed(layout));
      if (best === null || scale > best.scale) best = { graph, layout, scale };
      if (scale === 1) return best;
    }
  }
  if (best === null) throw new Error('no way to lay out a graph');
  return best;
}

/** For each box its row. */
type Rows = readonly number[];

/** For more states, only even rows are tried. */
const MAX_TRIED = 7;

/** All ways to put boxes into rows, in order; more rows first, then more even rows. */
function waysToFill(boxes: number): readonly Rows[] {
  if (boxes === 0) return [[]];
  const even = (perRow: number): Rows => Array.from({ length: boxes }, (_, box) => Math.floor(box / perRow));
  if (boxes > MAX_TRIED) return Array.from({ length: boxes }, (_, index) => even(index + 1));
  let ways: readonly Rows[] = [[0]];
  for (let box = 1; box < boxes; box++) {
    ways = ways.flatMap((rows) => [
      [...rows, rows.at(-1) ?? 0],
      [...rows, (rows.at(-1) ?? 0) + 1],
    ]);
  }
  const fullest = (rows: Rows) =>
    Math.max(...[...Map.groupBy(rows, (row) => row).values()].map(({ length }) => length));
  return ways.toSorted((a, b) => (b.at(-1) ?? 0) - (a.at(-1) ?? 0) || fullest(a) - fullest(b));
}

/** The size that the boxes alone need. */
function minSize(boxes: readonly Size[], rows: Rows): Size {
  const filled = [...Map.groupBy(boxes.entries(), ([index]) => rows[index] ?? 0).values()];
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  return {
    width: Math.max(0, ...filled.map((row) => sum(row.map(([, { width }]) => width)))),
    height: sum(filled.map((row) => Math.max(...row.map(([, { height }]) => height)))),
  };
}

let graphviz: Promise<Graphviz> | null = null;

/** Loaded on demand: it is large, and only pictures need it. */
function loadGraphviz(): Promise<Graphviz> {
  graphviz ??= import('@hpcc-js/wasm-graphviz').then((module) => module.Graphviz.load());
  return graphviz;
}

/** Graphviz sizes are inches of 72 points; here a pixel is a point. */
const POINTS = 72;

function asDot({ boxes, arrows }: Graph, filled: Rows): string {
  const rowOf = (box: number) => filled[box] ?? 0;
  const node = (id: string, { width, height }: Size) => `${id}[width=${width / POINTS} height=${height / POINTS}]`;
  const rows = Array.from(new Set(filled), (row) => [
    ...boxes.flatMap((_box, box) => (rowOf(box) === row ? [`s${box}`] : [])),
    ...arrows.flatMap(({ from, to }, arrow) => (rowOf(from) === row && rowOf(to) === row ? [`c${arrow}`] : [])),
  ]);
  // Invisible edges keep rows in order where no arrow connects them, with space for a card between.
  const apart = rows.slice(1).flatMap((row, before) => {
    const isSaid = arrows.some(({ from, to }) => rowOf(from) === before && rowOf(to) === before + 1);
    return isSaid ? [] : [`${rows[before]?.[0]}->${row[0]}[style=invis minlen=2 weight=0]`];
  });
  return [
    'digraph{graph[nodesep=0.25 ranksep=0.32 splines=spline];node[shape=box fixedsize=true label=""];edge[arrowsize=0.9]',
    ...boxes.map((box, index) => node(`s${index}`, box)),
    ...arrows.map((card, index) => node(`c${index}`, card)),
    ...arrows.map(({ from, to }, index) => `s${from}->c${index}[arrowhead=none weight=4];c${index}->s${to}[weight=4]`),
    ...rows.map((row) => `{rank=same;${row.join(';')}}`),
    ...apart,
    '}',
  ].join('\n');
}

/** The part of Graphviz's output that is used. */
type Drawn = {
  readonly bb: string;
  readonly objects?: readonly { readonly name: string; readonly pos: string }[];
  readonly edges?: readonly { readonly tail: number; readonly head: number; readonly pos?: string }[];
};

function layoutOf(graph: Graph, { bb, objects = [], edges = [] }: Drawn): Layout {
  const [, , width = 0, height = 0] = bb.split(',').map(Number);
  // Its y grows upwards. Whole pixels give crisp lines, and the same bytes on every machine.
  const point = (text: string): Point => {
    const [x = 0, y = 0] = text.split(',').map(Number);
    return { x: Math.round(x), y: Math.round(height - y) };
  };
  const indexOf = (name: string) => objects.findIndex((object) => object.name === name);
  const corner = (name: string, size: Size): Point => {
    const centre = point(objects[indexOf(name)]?.pos ?? '');
    return { x: Math.round(centre.x - size.width / 2), y: Math.round(centre.y - size.height / 2) };
  };
  const curveOf = (tail: string, head: string): readonly string[] =>
    edges.find((edge) => edge.tail === indexOf(tail) && edge.head === indexOf(head))?.pos?.split(' ') ?? [];
  return {
    width: Math.ceil(width),
    height: Math.ceil(height),
    boxes: graph.boxes.map((box, index) => corner(`s${index}`, box)),
    arrows: graph.arrows.map((arrow, index) => {
      const toCard = curveOf(`s${arrow.from}`, `c${index}`);
      const toBox = curveOf(`c${index}`, `s${arrow.to}`);
      const isTip = (text: string) => text.startsWith('e,');
      return {
        card: corner(`c${index}`, arrow),
        curves: [toCard, toBox].map((curve) => curve.filter((text) => !isTip(text)).map(point)),
        tip: point(toBox.find(isTip)?.slice(2) ?? ''),
      };
    }),
  };
}
