/** report.md: a section for each room. A run replaces the sections of the rooms that it ran and leaves the others. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type Explained, explained } from './explained.ts';
import { type Mutant, resultsOf } from './results.ts';
import { type RoomName, rooms } from './rooms.ts';
import { intervalOf, keyOf, type Sample } from './sample.ts';

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

/** `sample`: null where every mutant was asked. */
export type Run = Measured & { readonly sample: Sample | null };

const explains = (mutant: Mutant) => (reason: Explained) =>
  reason.file === mutant.file && reason.source === mutant.source && reason.replacements.includes(mutant.replacement);

/** @param ran the rooms that were measured now, each with how. */
export function writeReport(ran: ReadonlyMap<RoomName, Run>): void {
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

/** The remarks in the sections of report.md about their measurement, by room. */
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

function sectionOf(room: RoomName, { date, commit, command, sample }: Run): string {
  const drawn = sample && new Set(sample.drawn.map(keyOf));
  const mutants = (resultsOf(room) ?? []).filter(({ key }) => drawn === null || drawn.has(key));
  const unseen = mutants.filter(({ seen }) => !seen);
  const left = unseen.filter((mutant) => !explained.some(explains(mutant)));
  const counted = mutants.length - unseen.length + left.length;
  const noticed = counted - left.length;
  const summary = [
    `Measured on ${date} at \`${commit}\` by \`${command}\`.`,
    '',
    ...(sample === null
      ? []
      : [
          `A random sample of ${mutants.length} of the ${sample.of} mutants of the room. ${confidence(noticed, counted)}`,
          '',
        ]),
    '| mutants | noticed | explained | left | noticed, of those not explained |',
    '| --- | --- | --- | --- | --- |',
    `| ${mutants.length} | ${mutants.length - unseen.length} | ${unseen.length - left.length} | ${left.length} | ${percent(counted === 0 ? 0 : noticed / counted)} |`,
  ];
  const lines = left
    .toSorted((a, b) => a.file.localeCompare(b.file) || a.line - b.line)
    .map(
      ({ file, source, mutator, replacement }) =>
        `- ${file}: \`${inline(source)}\`: ${mutator} \`${inline(replacement)}\``,
    );
  return `## ${room}\n\n${[...summary, ...(lines.length > 0 ? ['', ...lines] : [])].join('\n')}\n`;
}

/** Rounded down: 100 % is every one. */
const percent = (share: number): string => `${Math.floor(1000 * share) / 10} %`;

function confidence(noticed: number, asked: number): string {
  const [from, to] = intervalOf(noticed, asked);
  return `Of all its mutants that are not explained, the tests notice between ${percent(from)} and ${percent(to)} (95 % confidence).`;
}

const inline = (text: string) => (text.length > 90 ? `${text.slice(0, 89)}…` : text).replaceAll('`', "'");
