/** A trace as a reviewer reads it: in words, and as a Mermaid sequence diagram. */
import { APPROVED_AT } from './beginning.ts';
import type { Violation } from './explore.ts';
import type { Happening } from './happening.ts';
import type { Credential } from './world.ts';

export const wordsOfTrace = ({ trace, words }: Violation): string[] => [
  'The resource owner approves; the code is on its way to the client.',
  ...trace.map((one) => sentenceOf(one)),
  `So ${words}.`,
];

/** In the order in which they left the server. */
export const nameOf = (credential: Credential): string =>
  credential === 'code' ? 'the code' : `refresh token ${credential + 1}`;

const CARRIED_OUT = {
  yes: 'it had been carried out',
  notYet: 'it may still be carried out',
  never: 'it never reached the database',
} as const;

function sentenceOf(one: Happening): string {
  const sentence = bareSentenceOf(one);
  return 'told' in one && one.told !== undefined ? `${sentence} The answer: ${one.told}.` : sentence;
}

function bareSentenceOf(one: Happening): string {
  switch (one.kind) {
    case 'presented':
      return `Somebody presents ${nameOf(one.credential)}${one.again ? ' once more' : ''}; the server loads its row.`;
    case 'committed':
      return one.held
        ? `The server commits, for ${nameOf(one.credential)}: ${one.what === 'tokens' ? 'tokens are issued' : 'the chain is revoked'}.`
        : `The commit for ${nameOf(one.credential)} changes nothing: the row is not what was loaded.`;
    case 'loadedAgain':
      return `The server loads the row again, for ${nameOf(one.credential)}.`;
    case 'commitAnswerLost':
      return `The database's answer to the commit for ${nameOf(one.credential)} is lost; ${CARRIED_OUT[one.carriedOut]}.`;
    case 'answered':
      return `The answer to ${nameOf(one.credential)} leaves the server, with a refresh token of generation ${one.token.generation}.`;
    case 'revocationRequested':
      return 'A revocation is requested; the server loads the row.';
    case 'revocationCommitted':
      return one.held ? 'The revocation is committed.' : 'The commit of the revocation changes nothing.';
    case 'revocationLoadedAgain':
      return 'The server loads the row again, for the revocation.';
    case 'timePassed':
      return `Time passes, until ${(one.to - APPROVED_AT) / 1000} s after the approval.`;
    case 'crashed':
      return `The process dies that was at ${one.credential === null ? 'the revocation' : nameOf(one.credential)}.`;
    case 'strayCommitted':
      return one.held
        ? 'A commit whose connection was lost is carried out after all.'
        : 'A commit whose connection was lost arrives, and changes nothing.';
    case 'userDisabled':
      return 'The resource owner is disabled.';
    case 'userEnabled':
      return 'The resource owner is enabled again.';
    case 'clientDeleted':
      return 'The client is deleted.';
    case 'clientRegisteredAgain':
      return 'The client is registered again under the same id.';
    case 'serverEpochRaised':
      return 'The operator ends all grants (statehouse recover).';
    case 'backupRestored':
      return `An older backup is restored${one.recovered ? ', and recovered before traffic' : ', and nobody runs statehouse recover'}.`;
  }
}

/** Lines of a Mermaid `sequenceDiagram`. */
export function mermaidOfTrace({ trace, words }: Violation): string {
  const lines = trace.map(lineOf);
  return [
    'sequenceDiagram',
    '  participant H as whoever holds it',
    '  participant S as Statehouse',
    '  participant D as Postgres',
    ...lines.flat().map((line) => `  ${line}`),
    `  Note over H,D: ${words}`,
  ].join('\n');
}

function lineOf(one: Happening): string[] {
  const answer = 'told' in one && one.told !== undefined ? [`S-->>H: ${one.told}`] : [];
  switch (one.kind) {
    case 'presented':
      return [`H->>S: ${nameOf(one.credential)}${one.again ? ', once more' : ''}`, 'S->>D: load', ...answer];
    case 'committed':
      return [
        `S->>D: commit: ${one.what} (${nameOf(one.credential)})`,
        one.held ? 'D-->>S: committed' : 'D--xS: guard lost',
        ...answer,
      ];
    case 'loadedAgain':
    case 'revocationLoadedAgain':
      return ['S->>D: load again', ...answer];
    case 'commitAnswerLost':
      return [`S-xD: commit (${nameOf(one.credential)}), answer lost: ${CARRIED_OUT[one.carriedOut]}`, ...answer];
    case 'answered':
      return [`S-->>H: refresh token of generation ${one.token.generation}`];
    case 'revocationRequested':
      return ['H->>S: revoke', 'S->>D: load'];
    case 'revocationCommitted':
      return ['S->>D: commit: revoked', one.held ? 'D-->>S: committed' : 'D--xS: guard lost'];
    default:
      return [`Note over H,D: ${bareSentenceOf(one).replace(/[;#]/g, ',')}`];
  }
}
