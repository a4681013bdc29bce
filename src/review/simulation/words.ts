/** The events of a scenario as text, for the list of verdicts and the diagram. */
import { REFUSALS, type TokenReason } from '../../oauth/refusals.ts';
import { spanWords } from '../../system/durations.ts';
import type { Happened } from './play.ts';
import type { Acting, Action, Actor, Beat, Presenting, Wait } from './scenario.ts';
import { BROWSER_ACTIONS, CODE, FATES, nounOf, OPERATOR_ACTIONS } from './vocabulary.ts';

export const actorWords = ({ name, place }: Actor): string => (place === null ? name : `${name} (${place})`);

export function beatWords({ act, fate, wait }: Beat): string {
  const time = wait === null ? '' : waitWords(wait);
  if (act === null) return time || 'nothing happens';
  const words = `${actorWords(act.actor)} ${actionWords(act.action)}`;
  const but = fate === null ? '' : `, but ${FATES[fate]}`;
  return `${time ? `${time}: ` : ''}${words}${but}`;
}

export function actionWords(action: Action): string {
  switch (action.kind) {
    case 'approve':
      return `approves (${grantedWords(action)}${action.level === null ? '' : `, ${action.level} asked for`})`;
    case 'present':
      return `presents ${credentialWords(action.credential)}${sentWords(action)}`;
    case 'revoke':
      return action.credential === null
        ? 'ends what the client may do'
        : `revokes ${credentialWords(action.credential)}`;
    case 'operate':
      return OPERATOR_ACTIONS[action.does];
    case 'act':
      return actingWords(action);
  }
}

function actingWords({ act, credential, password }: Acting): string {
  const { kind = 'password', name: called } = credential ?? {};
  const name = kind === 'password' ? 'the password' : `${nounOf(kind)} ${called}`;
  const typed = { right: '', wrong: ', a wrong guess', old: ', the old one' }[password];
  switch (act) {
    case 'shows':
      if (kind === 'request') return `opens the link of ${name}`;
      return nounOf(kind) === 'mail' ? `presses the button of ${name}` : `presents ${name}${typed}`;
    case 'reads':
      return `reads the code that ${name} shows`;
    case 'removes':
      return `removes ${kind === 'link' ? `the account at the identity provider (${name})` : name}`;
    case 'set a new password':
      return `${BROWSER_ACTIONS[act].says}${{ right: '', wrong: ', without knowing the password', old: ', knowing the old one' }[password]}`;
    default:
      return BROWSER_ACTIONS[act].says;
  }
}

const credentialWords = (credential: string) => (credential === CODE ? 'the code' : `refresh token ${credential}`);

const grantedWords = ({ scope, resources }: { scope: readonly string[]; resources: readonly string[] }) =>
  `${scope.join(' ')} at ${resources.join(' and ')}`;

function sentWords({ credential, verifier, redirectUri, key, scope, resources }: Presenting): string {
  const sent = [
    ...(credential === CODE && verifier === 'wrong' ? ['a wrong verifier'] : []),
    ...(redirectUri === 'none' ? [] : [`${redirectUri === 'wrong' ? 'another' : 'the right'} redirect URI`]),
    ...(key === null ? [] : [`${key === 'wrong' ? 'another' : 'the right'} key`]),
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

/** The response: the part that the client sees and, in brackets, the part that only the log has. */
export function answerWords(
  { heard, beat: { act }, awaitsFactor }: Extract<Happened, { kind: 'heard' }>,
  name: string | null,
): string {
  const isOfPeople = act?.action.kind === 'act' || act?.action.kind === 'approve';
  switch (heard.kind) {
    case 'gives': {
      const noun = nounOf(heard.what);
      const given = name === null ? noun : `${noun} ${name}`;
      if (heard.what === 'answer' || heard.what === 'link') return `sent there, and back with ${given}`;
      if (noun === 'mail') return `${given} is sent`;
      return heard.what === 'cookie' && awaitsFactor ? `${given}, not signed in yet` : given;
    }
    case 'refused':
      if (isOfPeople) return `refused (${heard.reason})`;
      return `${REFUSALS[heard.reason as TokenReason]?.error ?? 'refused'} (${heard.reason})`;
    case 'unavailable':
      return `503 (${heard.reason})`;
    case 'done':
      if (act?.action.kind !== 'act') return '200';
      return act.action.credential?.kind === 'cookie' ? 'the account' : 'done';
    case 'unanswered':
      return 'the response, lost on its way';
    case 'unplayed':
      return 'nothing';
  }
}
