/** Generates machines/README.md and its pictures from the machines, for `npm run machines:build`. */
import { readFileSync } from 'node:fs';
import type { Machine } from '../../catalogue/read.ts';
import { MACHINES } from '../../catalogue/running.ts';
import { invariantsAbout } from '../proof/prove.ts';
import { mermaidOf } from './mermaid.ts';
import { kebab, titleOf } from './names.ts';
import type { Numbers } from './policy-numbers.ts';
import { shippedNumbers } from './shipped-numbers.ts';
import { svgOf } from './svg.ts';
import { tableOf } from './table.ts';

type File = { readonly path: string; readonly text: string };

export async function machinePages(): Promise<readonly File[]> {
  const numbers = shippedNumbers();
  const pictures = [...MACHINES].map(async ([name, machine]) => ({
    path: `machines/${pictureOf(name)}`,
    text: await svgOf(machine, numbers),
  }));
  return [{ path: 'machines/README.md', text: readme(numbers) }, ...(await Promise.all(pictures))];
}

const pictureOf = (name: string) => `diagrams/${kebab(name)}.svg`;

function readme(numbers: Numbers): string {
  // The hand-written beginning; the rest is generated.
  const written = readFileSync(new URL('machines-readme.md', import.meta.url), 'utf8').trimEnd();
  return [written, contents(), ...[...MACHINES].map(([name, machine]) => chapterOf(name, machine, numbers))].join(
    '\n\n',
  );
}

const contents = (): string =>
  [...MACHINES].map(([name, { states }]) => `- [${titleOf(name)}](#${kebab(name)}): ${stateNames(states)}`).join('\n');

const stateNames = (states: Machine['states']): string => states.map((state) => `\`${state.name}\``).join(', ');

function chapterOf(name: string, machine: Machine, numbers: Numbers): string {
  const file = `${kebab(name)}/machine.ts`;
  return [
    `## ${titleOf(name)}`,
    `[${file}](${file})`,
    `![The states of ${titleOf(name).toLowerCase()}, and what leads from one to another](${pictureOf(name)})`,
    `<details><summary>The same in Mermaid</summary>\n\n\`\`\`mermaid\n${mermaidOf(machine, numbers)}\`\`\`\n\n</details>`,
    `### What \`npx statehouse check --proof\` proves about it`,
    provenOf(name),
    '### Every state and event',
    tableOf(machine, numbers),
  ].join('\n\n');
}

function provenOf(name: string): string {
  const proven = invariantsAbout(name).map(({ says, spec }) => `- ${says} (${spec})`);
  return proven.length > 0
    ? proven.join('\n')
    : 'Nothing: the proof walks codes, refresh tokens and grants. The laws of this machine are in ' +
        '[test/unit/machines/laws.ts](../test/unit/machines/laws.ts), and hold for every state, event and guard outcome.';
}
