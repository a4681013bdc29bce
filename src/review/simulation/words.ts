/** The events of a scenario as text, for the list of verdicts and the diagram. */
import { REFUSALS, type TokenReason } from '../../oauth/refusals.ts';
import { spanWords } from '../../system/durations.ts';
import type { Happened } from './play.ts';
import type { Acting, Action, Actor, Beat, Fate, PersonDeed, Presenting, Wait } from './scenario.ts';
import { CODE } from './scenario-file.ts';
import { GIVEN_WORDS } from './things.ts';

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
      return `approves (${grantedWords(action)}${action.level === null ? '' : `, ${action.level} asked for`})`;
    case 'present':
      return `presents ${credentialWords(action.credential)}${sentWords(action)}`;
    case 'revoke':
      return action.credential === null
        ? 'ends what the client may do'
        : `revokes ${credentialWords(action.credential)}`;
    case 'operate':
      return DEED_WORDS[action.deed];
    case 'act':
      return actingWords(action);
  }
}

function actingWords({ act, thing, password }: Acting): string {
  const name =
    thing === null || thing.kind === 'password' ? 'the password' : `${GIVEN_WORDS[thing.kind]} ${thing.name}`;
  const typed = { right: '', wrong: ', a wrong guess', old: ', the old one' }[password];
  switch (act) {
    case 'shows':
      return isMail(thing) ? `presses the button of ${name}` : `presents ${name}${typed}`;
    case 'reads':
      return `reads the code that ${name} shows`;
    case 'removes':
      return `removes ${thing?.kind === 'link' ? `the account elsewhere (${name})` : name}`;
    case 'set a new password':
      return `${PERSON_DEED_WORDS[act]}${{ right: '', wrong: ', without knowing the password', old: ', knowing the old one' }[password]}`;
    default:
      return PERSON_DEED_WORDS[act];
  }
}

const isMail = (thing: Acting['thing']): boolean => thing?.kind.endsWith('Mail') === true;

const PERSON_DEED_WORDS: Readonly<Record<PersonDeed, string>> = {
  'open the consent page': 'is asked for consent, and waits',
  'set up an authenticator app': 'sets up an authenticator app',
  'add a passkey': 'adds a passkey',
  'make recovery codes': 'asks for new recovery codes',
  'go elsewhere to sign in': 'goes to another place to sign in',
  'go elsewhere to link': 'goes to another place to link an account',
  'ask for a new password': 'asks for a new password by mail',
  'ask to change the address': 'asks to change the e-mail address',
  'say that every factor was lost': 'says that every factor was lost',
  'set a new password': 'sets a new password',
  'sign out': 'signs out',
  'sign out elsewhere': 'signs out everywhere else',
  'delete the account': 'deletes the account',
};

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
export function answerWords(
  { heard, beat: { act }, awaitsFactor }: Extract<Happened, { kind: 'heard' }>,
  name: string | null,
): string {
  const isOfPeople = act?.action.kind === 'act' || act?.action.kind === 'approve';
  switch (heard.kind) {
    case 'gives': {
      const given = `${GIVEN_WORDS[heard.what]}${name === null ? '' : ` ${name}`}`;
      if (heard.what === 'answer' || heard.what === 'link') return `sent there, and back with ${given}`;
      if (heard.what.endsWith('Mail')) return `${given} is sent`;
      return heard.what === 'cookie' && awaitsFactor ? `${given}, not signed in yet` : given;
    }
    case 'tokens':
      return name === null ? 'tokens' : `tokens ${name}`;
    case 'refused':
      if (isOfPeople) return `refused (${heard.reason})`;
      return `${REFUSALS[heard.reason as TokenReason]?.error ?? 'refused'} (${heard.reason})`;
    case 'unavailable':
      return `503 (${heard.reason})`;
    case 'done':
      if (act?.action.kind !== 'act') return '200';
      return act.action.thing?.kind === 'cookie' ? 'the account' : 'done';
    case 'unanswered':
      return 'the response, lost on its way';
    case 'unplayed':
      return 'nothing';
  }
}
