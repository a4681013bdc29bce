/** A trace as a reviewer reads it: in words, and as a Mermaid sequence diagram. */
import type { Violation } from './explore.ts';
import type { Ending, Step } from './moment.ts';
import type { WalkWords } from './walk.ts';

// biome-ignore lint/suspicious/noExplicitAny: of any walk.
type Any = any;
type Words = WalkWords<Any>;

export const wordsOfTrace = ({ walk, begins, trace, words }: Violation): string[] => [
  begins,
  ...trace.map((one) => sentenceOf(walk.words, one)),
  `So ${words}.`,
];

const CARRIED_OUT = {
  yes: 'it had been carried out',
  notYet: 'it may still be carried out',
  never: 'it never reached the database',
} as const;

const answerIn = (words: Words, ending: Ending<Any> | undefined): string | null => {
  if (!ending) return null;
  return ending.kind === 'unavailable' ? ending.reason : words.answer(ending.answer);
};

function sentenceOf(words: Words, one: Step<Any>): string {
  const sentence = bareSentenceOf(words, one);
  const answer = one.kind === 'left' ? null : answerIn(words, one.ending);
  return answer === null ? sentence : `${sentence} The answer: ${answer}.`;
}

function bareSentenceOf(words: Words, one: Step<Any>): string {
  switch (one.kind) {
    case 'begun':
      return `${words.begins(one.asked, one.known)}; the server loads its row.`;
    case 'loaded':
      return `The server loads the row${one.again ? ' again' : ''}, for ${words.name(one.asked)}.`;
    case 'committed':
      return one.held
        ? `The server commits, for ${words.name(one.asked)}: ${words.commit(one.commit)}.`
        : `The commit for ${words.name(one.asked)} changes nothing: the row is not what was loaded.`;
    case 'answerLost':
      return `The database's answer to the commit for ${words.name(one.asked)} is lost; ${CARRIED_OUT[one.carriedOut]}.`;
    case 'left':
      return `The answer to ${words.name(one.asked)} leaves the server, with a ${answerIn(words, one.ending) ?? 'page'}.`;
    case 'crashed':
      return `The process dies that was at ${words.name(one.asked)}.`;
    case 'delayedArrived':
      return one.held
        ? 'A commit whose connection was lost is carried out after all.'
        : 'A commit whose connection was lost arrives, and changes nothing.';
    case 'timePassed':
      return `Time passes, until ${(one.to - words.since[0]) / 1000} s after ${words.since[1]}.`;
    case 'action':
      return one.says;
    case 'backupRestored':
      return `An older backup is restored${one.recovered ? ', and recovered before traffic' : ', and statehouse recover is not run'}.`;
  }
}

/** Lines of a Mermaid `sequenceDiagram`. */
export function mermaidOfTrace({ walk, trace, words }: Violation): string {
  const lines = trace.map((one) => lineOf(walk.words, one));
  return [
    'sequenceDiagram',
    `  participant H as ${walk.words.sender}`,
    '  participant S as Statehouse',
    '  participant D as Postgres',
    ...lines.flat().map((line) => `  ${line}`),
    `  Note over H,D: ${plain(words)}`,
  ].join('\n');
}

/** These would end a statement of Mermaid. */
const plain = (text: string) => text.replace(/[;#]/g, ',');

function lineOf(words: Words, one: Step<Any>): string[] {
  const heard = answerIn(words, one.ending);
  const answer = heard === null ? [] : [`S-->>H: ${plain(heard)}`];
  switch (one.kind) {
    case 'begun':
      return [`H->>S: ${diagramName(words, one)}`, 'S->>D: load', ...answer];
    case 'loaded':
      return [one.again ? 'S->>D: load again' : 'S->>D: load', ...answer];
    case 'committed':
      return [
        `S->>D: commit: ${words.commitNoun(one.commit)} (${plain(words.name(one.asked))})`,
        one.held ? 'D-->>S: committed' : 'D--xS: guard lost',
        ...answer,
      ];
    case 'answerLost':
      return [`S-xD: commit (${plain(words.name(one.asked))}), answer lost: ${CARRIED_OUT[one.carriedOut]}`, ...answer];
    case 'left':
      return answer;
    default:
      return [`Note over H,D: ${plain(bareSentenceOf(words, one))}`];
  }
}

const diagramName = (words: Words, { asked, known }: Extract<Step<Any>, { kind: 'begun' }>): string => {
  const again = words.begins(asked, known).endsWith(' once more') ? ', once more' : '';
  return `${plain(words.name(asked))}${again}`;
};
