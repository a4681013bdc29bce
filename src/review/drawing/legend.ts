/** The legend of a picture, wrapped to its width. */
import { type Text, textAt } from './blocks.ts';

export type LegendItem = {
  readonly sign: 'dot' | 'last' | 'places' | 'issues' | 'ends' | 'moves' | 'numbers';
  readonly x: number;
  readonly y: number;
  readonly words: Text;
};

const LEFT = 22;
const LEADING = 19;
const GAP = 16;

export function legendOf(
  width: number,
  source: string,
  used: ReadonlySet<LegendItem['sign']>,
): { readonly lines: readonly LegendItem[]; readonly height: number } {
  const lines: LegendItem[] = [];
  let [x, y] = [LEFT, 12];
  for (const [sign, signWidth, words] of itemsOf(source)) {
    if (!used.has(sign)) continue;
    const wide = signWidth + 7 + textAt(0, 0, 'words', words).width;
    if (x > LEFT && x + wide > LEFT + width) {
      x = LEFT;
      y += LEADING;
    }
    lines.push({ sign, x, y, words: textAt(x + signWidth + 7, y, 'words', words) });
    x += wide + GAP;
  }
  return { lines, height: y + 18 };
}

const itemsOf = (source: string): readonly (readonly [LegendItem['sign'], number, string])[] => [
  ['dot', 18, 'begins here'],
  ['last', 18, 'nothing leads out'],
  ['places', 15, 'the order of the guards'],
  ['issues', 18, 'issues, signs or admits'],
  ['ends', 18, 'turns down, or ends for good'],
  ['moves', 18, 'moves on'],
  ['numbers', 24, `a number of ${source}`],
];
