/** The events of a scenario as text, for the list of verdicts and the diagram. */
import { REFUSALS, type TokenReason } from '../../oauth/refusals.ts';
import { spanWords } from '../../system/durations.ts';
import type { Heard } from './play.ts';
import type { Action, Actor, Beat, Fate, Presenting, Wait } from './scenario.ts';
import { CODE } from './scenario-file.ts';

export const actorWords = ({ name, place }: Actor): string => (place === null ? name : `${name} (${place})`);

export function beatWords({ act, fate, wait }: Beat): string {
  const time = wait === null ? '' : waitWords(wait);
  if (act === null) return time || 'nothing happens';
  const words = `${actorWords(act.actor)} ${actionWords(act.action)}`;
  const but = fate === null ? '' : `, but ${FATE_WORDS[fate]}`;
  return `${time ? `${time}: ` : ''}${words}${but}`;
}

export function actionWords(action: Action): string {
  switch (action.kind) {
    case 'approve':
      return `approves (${grantedWords(action)})`;
    case 'present':
      return `presents ${credentialWords(action.credential)}${sentWords(action)}`;
    case 'revoke':
      return action.credential === null
        ? 'ends what the client may do'
        : `revokes ${credentialWords(action.credential)}`;
    case 'operate':
      return DEED_WORDS[action.deed];
  }
}

const DEED_WORDS = {
  'disable the resource owner': 'disables the resource owner',
  'enable the resource owner': 'enables the resource owner again',
  'delete the client': 'deletes the client',
  'register the client again': 'registers the client again, under the same id',
  recover: 'ends every older grant (statehouse recover)',
} as const;

export const FATE_WORDS: Readonly<Record<Fate, string>> = {
  'response lost': 'the response is lost',
  'crash before commit': 'the process dies before the commit',
  'crash after commit': 'the process dies after the commit',
  'commit answer lost': "the database's answer to the commit is lost",
  'commit lost': 'the commit is lost on its way',
  'database away': 'the database is unavailable',
  'commit unknown': 'the database is lost during the commit',
};

const credentialWords = (credential: string) => (credential === CODE ? 'the code' : `refresh token ${credential}`);

const grantedWords = ({ scope, resources }: { scope: readonly string[]; resources: readonly string[] }) =>
  `${scope.join(' ')} at ${resources.join(' and ')}`;

function sentWords({ credential, verifier, redirectUri, scope, resources }: Presenting): string {
  const sent = [
    ...(credential === CODE && verifier === 'wrong' ? ['a wrong verifier'] : []),
    ...(redirectUri === 'none' ? [] : [`${redirectUri === 'wrong' ? 'another' : 'the right'} redirect URI`]),
    ...(scope ? [`scope ${scope.join(' ')}`] : []),
    ...(resources ? [`resource ${resources.join(' and ')}`] : []),
  ];
  return sent.length > 0 ? ` with ${sent.join(', ')}` : '';
}

export function waitWords(wait: Wait): string {
  if (wait.kind === 'for') return `${spanWords(wait.milliseconds)} later`;
  const end = wait.end === 'code' ? 'the end of the code' : `the ${wait.end} end of the chain`;
  return `${{ '-1': 'just before', '0': 'at', '1': 'just after' }[wait.offset]} ${end}`;
}

/** The response: what the client sees and, in brackets, what only the log says. */
export function answerWords(heard: Heard, name: string | null): string {
  switch (heard.kind) {
    case 'tokens':
      return name === null ? 'tokens' : `tokens ${name}`;
    case 'refused':
      return `${REFUSALS[heard.reason as TokenReason]?.error ?? 'refused'} (${heard.reason})`;
    case 'unavailable':
      return `503 (${heard.reason})`;
    case 'done':
      return '200';
    case 'unanswered':
      return 'the response, lost on its way';
    case 'unplayed':
      return 'nothing';
  }
}
