/**
 * The width of a text, from a table, so that pictures are the same on every machine. The table is for Helvetica, whose widths
 * Arial and Liberation Sans share; with `textLength` the SVG forces any other font to these widths.
 */

export type Face = { readonly size: number; readonly bold: boolean };

/** In thousandths of the font size, for U+0020 to U+007E. */
const REGULAR =
  '278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 584 584 584 556 ' +
  '1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 ' +
  '333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584';
const BOLD =
  '278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 333 333 584 584 584 611 ' +
  '975 722 722 722 722 667 611 778 722 278 556 722 611 833 722 778 667 778 722 667 611 722 667 944 667 667 611 333 278 333 584 556 ' +
  '333 556 611 556 611 556 333 611 611 278 278 556 278 889 611 611 611 611 389 556 333 611 556 778 556 556 500 389 280 389 584';

const tableOf = (widths: string): readonly number[] => widths.split(' ').map(Number);
const TABLES = { regular: tableOf(REGULAR), bold: tableOf(BOLD) } as const;

const OTHERS: ReadonlyMap<string, number> = new Map([
  ['§', 556],
  ['·', 278],
  ['–', 556],
  ['’', 222],
]);

/** For all other characters, so that they never overlap. */
const WIDEST = 1000;

export function widthOf(text: string, { size, bold }: Face): number {
  const table = bold ? TABLES.bold : TABLES.regular;
  let thousandths = 0;
  for (const letter of text) {
    thousandths += table[(letter.codePointAt(0) ?? 0) - 0x20] ?? OTHERS.get(letter) ?? WIDEST;
  }
  return Math.ceil((thousandths * size) / 1000);
}

/** Wraps at words; a word that is wider than a line gets its own line. */
export function linesOf(text: string, face: Face, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ').filter((part) => part !== '')) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && widthOf(longer, face) <= width) lines.splice(-1, 1, longer);
    else lines.push(word);
  }
  return lines;
}
