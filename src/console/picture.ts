/**
 * Puts numbers onto the picture of a machine: rows per state, and the counts of each group of arms. Attributes in the
 * picture name the meaning of its blocks and headings (src/review/drawing/svg.ts). Without attributes, no number is
 * added.
 */
import { html } from 'ghtml';
import type { Markup } from '../http/views/page.ts';
import { sourceOf } from './frame.ts';
import { armKey, type MachineNumbers, shownCount, shownNumber, stateKey, together } from './numbers.ts';

export type Picture = {
  readonly markup: Markup;
  /** In pixels. */
  readonly width: number;
  /** Hashes of its styles, for Content-Security-Policy. */
  readonly styles: readonly string[];
};

type Block = { readonly from: string; readonly to: string; width: number; headings: number };

const BLOCK =
  /^<g class="(?:state|card [a-z]+)" (?:data-state="(?<state>[^"]*)"|data-from="(?<from>[^"]*)" data-to="(?<to>[^"]*)")/;
const WIDTH = /^<rect width="(?<width>[\d.]+)"/;
const STYLE = /<style>([^<]*)<\/style>/g;
const EVENTS =
  /^<g data-events="(?<events>[^"]*)">.*?<text class="event" x="(?<x>[\d.]+)" y="(?<y>[\d.]+)" textLength="(?<length>[\d.]+)"/;

/** @param hrefOf returns the URL of the latest entries of these events. */
export function withNumbers(
  svg: string,
  machine: MachineNumbers,
  hrefOf: (from: string, events: readonly string[], to: string) => string,
): Picture {
  let block: Block | null = null;
  const lines = svg.split('\n').flatMap((line) => {
    const opened = BLOCK.exec(line)?.groups;
    if (opened) {
      const { state, from = state ?? '', to = state ?? '' } = opened;
      block = { from, to, width: 0, headings: 0 };
      return [line];
    }
    if (block === null) return [line];
    const width = WIDTH.exec(line)?.groups?.['width'];
    if (width !== undefined && block.width === 0) {
      block.width = Number(width);
      return block.from === block.to ? [line, rowsIn(machine, block)] : [line];
    }
    const heading = EVENTS.exec(line)?.groups;
    if (heading) {
      const events = (heading['events'] ?? '').split(' ');
      const end = Number(heading['x']) + Number(heading['length']);
      const place = placeOf(block, Number(heading['y']), end);
      block.headings++;
      return [line, rateOf(machine, block, events, place, hrefOf(block.from, events, block.to))];
    }
    if (line === '</g>') block = null;
    return [line];
  });
  const styles: string[] = [];
  // With links in it, it is no image any more.
  const drawn = lines.join('\n').replace('role="img"', 'role="group"');
  const markup = drawn.replaceAll(STYLE, (_, style: string) => {
    // In a page, the rules of a picture apply to the picture alone.
    const within = `.picture{${style}}`;
    styles.push(sourceOf(within));
    return `<style>${within}</style>`;
  });
  return { markup, styles, width: Number(/^<svg [^>]*width="(\d+)"/.exec(svg)?.[1] ?? 0) };
}

function rowsIn({ name, states, exact }: MachineNumbers, { from, width }: Block): string {
  const state = states.find((one) => one.name === from);
  if (!state) return '';
  return html`<g><title>rows in the state ${from}</title>!${pill(width - 76, -11, 68, stateKey(name, from), shownCount(state, { exact }))}</g>`;
}

type Place = { readonly x: number; readonly y: number };

const RATE_WIDTH = 36;

/** After the heading where there is room. Otherwise on the upper edge of its block, or beside it. */
function placeOf({ width, headings }: Block, y: number, end: number): Place {
  if (end + 8 + RATE_WIDTH + 4 <= width) return { x: width - RATE_WIDTH - 4, y: y - 12 };
  return headings === 0 ? { x: width - RATE_WIDTH - 8, y: -12 } : { x: width - 8, y: y - 12 };
}

function rateOf(
  machine: MachineNumbers,
  { from, to }: Block,
  events: readonly string[],
  { x, y }: Place,
  href: string,
) {
  const arms = together(machine.arms).filter((arm) => arm.from === from && arm.to === to && events.includes(arm.event));
  // An arm that changes no state may leave no entry: it has a number only if the API counted it.
  if (arms.length === 0 && from === to) return '';
  const total = arms.reduce((sum, arm) => sum + arm.last_5_minutes, 0);
  const keys = events.map((event) => armKey(machine.name, { from, event, to })).join('|');
  const words = `${events.join(', ')}, from ${from} to ${to}`;
  const id = `arm-${from}-${events.join('-')}-${to}`;
  return html`<a href="${href}" aria-labelledby="${id} ${id}-words"><title id="${id}-words">times in the last five minutes: ${words}</title>!${pill(x, y, RATE_WIDTH, keys, shownNumber(total), id)}</a>`;
}

const pill = (x: number, y: number, width: number, key: string, shown: string, id = ''): Markup =>
  html`<rect class="pill" x="${String(x)}" y="${String(y)}" width="${String(width)}" height="17" rx="8.5"/><text class="pill-text" x="${String(x + width / 2)}" y="${String(y + 13)}" text-anchor="middle"!${id === '' ? '' : html` id="${id}"`} data-number="${key}">${shown}</text>`;
