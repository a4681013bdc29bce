/** report.md: a section for each room. A run replaces the sections of the rooms that it ran and leaves the others. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type Explained, explained } from './explained.ts';
import { type Mutant, resultsOf } from './results.ts';
import { type RoomName, rooms } from './rooms.ts';

const FILE = 'test/mutants/report.md';
const HEAD = `# Mutants of the source

Every operator, condition, block, call and literal of these rooms, changed one at a time by Stryker; the tests that
\`test/mutants/rooms.ts\` names for the room are asked whether they notice. "Explained" are those that no test should notice;
the reasons are in \`test/mutants/explained.ts\`. What is left is listed.

Each section says when it was measured, at which commit and by which command. \`npm run check:mutants\` names the rooms that changed by
more than a tenth since, and those that were never measured.
`;

export type Measured = {
  /** As in 2026-11-23. */
  readonly date: string;
  /** With \`+\` behind it: the tree had changes that were not committed. */
  readonly commit: string;
  readonly command: string;
};

const explains = (mutant: Mutant) => (reason: Explained) =>
  reason.file === mutant.file && reason.source === mutant.source && reason.replacements.includes(mutant.replacement);

/** @param ran the rooms that were measured now, each with how. */
export function writeReport(ran: ReadonlyMap<RoomName, Measured>): void {
  const old = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '';
  const sections = Object.keys(rooms).map((room) => {
    const measured = ran.get(room);
    return measured ? sectionOf(room, measured) : oldSection(old, room);
  });
  writeFileSync(FILE, `${[HEAD, ...sections.filter((text) => text !== '')].join('\n').trimEnd()}\n`);
}

function oldSection(old: string, room: RoomName): string {
  const start = old.indexOf(`## ${room}\n`);
  if (start === -1) return '';
  const end = old.indexOf('\n## ', start);
  return `${(end === -1 ? old.slice(start) : old.slice(start, end)).trimEnd()}\n`;
}

/** What the sections of report.md say about their measuring, by room. */
export function measuredRooms(): ReadonlyMap<string, Measured> {
  const found = readFileSync(FILE, 'utf8').matchAll(
    /^## (?<room>\S+)\n\nMeasured on (?<date>\S+) at `(?<commit>[0-9a-f]+\+?)` by `(?<command>[^`]+)`/gm,
  );
  return new Map(
    [...found].map(({ groups: { room = '', date = '', commit = '', command = '' } = {} }) => [
      room,
      { date, commit, command },
    ]),
  );
}

function sectionOf(room: RoomName, { date, commit, command }: Measured): string {
  const mutants = resultsOf(room) ?? [];
  const unseen = mutants.filter(({ seen }) => !seen);
  const left = unseen.filter((mutant) => !explained.some(explains(mutant)));
  const counted = mutants.length - unseen.length + left.length;
  const share = counted === 0 ? 0 : Math.floor((1000 * (counted - left.length)) / counted) / 10;
  const summary = [
    `Measured on ${date} at \`${commit}\` by \`${command}\`.`,
    '',
    '| mutants | noticed | explained | left | noticed, of those not explained |',
    '| --- | --- | --- | --- | --- |',
    `| ${mutants.length} | ${mutants.length - unseen.length} | ${unseen.length - left.length} | ${left.length} | ${share} % |`,
  ];
  const lines = left
    .toSorted((a, b) => a.file.localeCompare(b.file) || a.line - b.line)
    .map(
      ({ file, source, mutator, replacement }) =>
        `- ${file}: \`${inline(source)}\`: ${mutator} \`${inline(replacement)}\``,
    );
  return `## ${room}\n\n${[...summary, ...(lines.length > 0 ? ['', ...lines] : [])].join('\n')}\n`;
}

const inline = (text: string) => (text.length > 90 ? `${text.slice(0, 89)}…` : text).replaceAll('`', "'");
