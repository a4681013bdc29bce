/** Machines in each of the formats. */
import type { Machine } from '../../catalogue/read.ts';
import { mermaidOf } from './mermaid.ts';
import { kebab, titleOf } from './names.ts';
import type { Numbers } from './policy-numbers.ts';
import { jsonOf } from './stately-json.ts';
import { svgOf } from './svg.ts';

export const FORMATS = ['svg', 'mermaid', 'json'] as const;
export type Format = (typeof FORMATS)[number];

export const EXTENSIONS: Readonly<Record<Format, string>> = { svg: 'svg', mermaid: 'mmd', json: 'json' };

type Machines = ReadonlyMap<string, Machine>;

export async function drawingOf(machine: Machine, format: Format, numbers: Numbers): Promise<string> {
  if (format === 'svg') return svgOf(machine, numbers);
  return format === 'mermaid' ? mermaidOf(machine, numbers) : jsonOf(machine, numbers);
}

/** All machines in one document: stacked pictures, Markdown with a chapter each, or an object by name. */
export async function drawingOfAll(machines: Machines, format: Format, numbers: Numbers): Promise<string> {
  const drawings = await Promise.all(
    [...machines].map(async ([name, machine]) => ({ name, text: await drawingOf(machine, format, numbers) })),
  );
  if (format === 'svg') return posterOf(drawings.map(({ text }) => text));
  if (format === 'json') {
    return `${JSON.stringify(Object.fromEntries(drawings.map(({ name, text }) => [name, JSON.parse(text)])), null, 2)}\n`;
  }
  return drawings.map(({ name, text }) => `## ${titleOf(name)}\n\n\`\`\`mermaid\n${text}\`\`\`\n`).join('\n');
}

/** One document per machine, with its file name. */
export async function drawingsOfEach(machines: Machines, format: Format, numbers: Numbers) {
  return Promise.all(
    [...machines].map(async ([name, machine]) => ({
      file: `${kebab(name)}.${EXTENSIONS[format]}`,
      text: await drawingOf(machine, format, numbers),
    })),
  );
}

const GAP = 24;

function posterOf(pictures: readonly string[]): string {
  const sizes = pictures.map((picture) => {
    const [, width, height] = /^<svg [^>]*?width="(\d+)" height="(\d+)"/.exec(picture) ?? [];
    return { width: Number(width), height: Number(height) };
  });
  const width = Math.max(0, ...sizes.map((size) => size.width));
  let height = 0;
  const placed = pictures.map((picture, index) => {
    const size = sizes[index] ?? { width: 0, height: 0 };
    const at = `<svg x="${Math.round((width - size.width) / 2)}" y="${height}" `;
    height += size.height + GAP;
    return picture.replace(/^<svg /, at);
  });
  const whole = `width="${width}" height="${height - GAP}" viewBox="0 0 ${width} ${height - GAP}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${whole}>\n${placed.join('')}</svg>\n`;
}
