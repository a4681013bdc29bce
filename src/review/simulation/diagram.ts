/** A performance as a Mermaid sequence diagram. The database is drawn only where the order of its statements matters. */
import type { Happened, Performance } from './play.ts';
import type { Action, Actor, Beat, Scenario } from './scenario.ts';
import type { Statement } from './stage.ts';
import { FATES, isCrash } from './vocabulary.ts';
import { actionWords, actorWords, answerWords, waitWords } from './words.ts';

const SERVER = 'S';
const DATABASE = 'D';

export function mermaidOf({ scenario, happened }: Performance): string {
  const cast = castOf(scenario);
  const detailed = detailedBeats(scenario);
  const left = cast.keys().next().value ?? 'client';
  const lanes = { of: (actor: Actor) => cast.get(actorWords(actor)) ?? SERVER, first: cast.get(left) ?? SERVER };
  const right = detailed.size > 0 ? DATABASE : SERVER;
  const lines = happened.flatMap((event) =>
    linesOf(event, { ...lanes, last: right, recipient: recipientOf(scenario) }, detailed),
  );
  return [
    'sequenceDiagram',
    ...[...cast].map(([words, id]) => `  ${KIND[words.split(' (')[0] ?? ''] ?? 'participant'} ${id} as ${words}`),
    `  participant ${SERVER} as Statehouse`,
    ...(detailed.size > 0 ? [`  participant ${DATABASE} as database`] : []),
    ...lines.map((line) => `  ${line}`),
  ].join('\n');
}

/** People are drawn as people. */
const KIND: Readonly<Record<string, string>> = { 'resource owner': 'actor', operator: 'actor', thief: 'actor' };

/** In order of appearance, including an actor who only receives the code. */
function castOf(scenario: Scenario): Map<string, string> {
  const words = new Set<string>();
  for (const { act } of scenario.rounds.flatMap((round) => round.beats)) {
    if (act) words.add(actorWords(act.actor));
    if (act?.action.kind === 'approve') words.add(actorWords(recipientOf(scenario)));
  }
  return new Map([...words].map((actor, index) => [actor, `P${index + 1}`]));
}

/** The actor whose redirect URI receives the code: the client, in its first tab or process. */
function recipientOf({ rounds }: Scenario): Actor {
  const acts = rounds.flatMap((round) => round.beats).flatMap(({ act }) => act ?? []);
  return acts.find(({ actor }) => actor.name === 'client')?.actor ?? { name: 'client', place: null };
}

function detailedBeats({ rounds }: Scenario): ReadonlySet<Beat> {
  const beats = rounds.flatMap(({ beats }) =>
    beats.length > 1 ? beats : beats.filter(({ fate }) => fate !== null && fate !== 'response lost'),
  );
  return new Set(beats);
}

type Lanes = {
  readonly of: (actor: Actor) => string;
  readonly first: string;
  readonly last: string;
  readonly recipient: Actor;
};

function linesOf(event: Happened, lanes: Lanes, detailed: ReadonlySet<Beat>): string[] {
  const note = (words: string) => `Note over ${lanes.first},${lanes.last}: ${words}`;
  switch (event.kind) {
    case 'timePassed':
      return event.beat.wait ? [note(waitWords(event.beat.wait))] : [];
    case 'approved': {
      const { act } = event.beat;
      if (act === null) return [];
      return [
        `${lanes.of(act.actor)}->>${SERVER}: ${actionWords(act.action)}`,
        `${SERVER}-->>${lanes.of(lanes.recipient)}: the code`,
      ];
    }
    case 'asked':
    case 'operated': {
      const { act } = event.beat;
      if (act && isReading(act.action)) return [`Note over ${lanes.of(act.actor)}: ${readingWords(event.beat)}`];
      return act ? [`${lanes.of(act.actor)}->>${SERVER}: ${actionWords(act.action)}`] : [];
    }
    case 'statement':
      return detailed.has(event.beat) ? statementLines(event.statement, forWhomOf(event.beat)) : [];
    case 'crashed':
      return [`Note over ${SERVER}: ${event.beat.fate === null ? 'the process dies' : FATES[event.beat.fate]}`];
    case 'heard': {
      const { act, fate, expected } = event.beat;
      if (act === null || isReading(act.action) || event.heard.kind === 'unplayed') return [];
      if (isCrash(fate)) return [];
      const name = expected.answer?.kind === 'gives' ? expected.answer.name : null;
      const arrow = event.heard.kind === 'unanswered' ? '--x' : '-->>';
      return [`${SERVER}${arrow}${lanes.of(act.actor)}: ${answerWords(event, name)}`];
    }
    case 'chainEnded':
      return [note(`the chain is dead: ${event.reason ?? 'ended'}`)];
  }
}

/** An app shows its code by itself: no server is asked. */
const isReading = (action: Action): boolean => action.kind === 'act' && action.act === 'reads';
const readingWords = ({ act, expected: { answer } }: Beat): string =>
  `${act ? actionWords(act.action) : ''}${answer?.kind === 'gives' ? `, ${answer.name}` : ''}`;

/** Names the actor where several requests are in flight. */
const forWhomOf = ({ number, act }: Beat): string =>
  number.includes('.') && act !== null ? ` for ${actorWords(act.actor)}` : '';

function statementLines(statement: Statement, forWhom: string): string[] {
  if (statement.kind === 'load') return [`${SERVER}->>${DATABASE}: load${statement.again ? ' again' : ''}${forWhom}`];
  const commit = `commit${forWhom}: ${statement.what === 'tokens' ? 'the head moves' : 'revoked'}`;
  switch (statement.came) {
    case 'held':
      return [`${SERVER}->>${DATABASE}: ${commit}`, `${DATABASE}-->>${SERVER}: done`];
    case 'guardLost':
      return [`${SERVER}->>${DATABASE}: ${commit}`, `${DATABASE}-->>${SERVER}: nothing changed, the row is another`];
    case 'answerLost':
      return [`${SERVER}->>${DATABASE}: ${commit}`, `${DATABASE}--x${SERVER}: done, but the answer is lost`];
    case 'lost':
    case 'notSent':
      return [`${SERVER}-x${DATABASE}: ${commit}, which does not arrive`];
  }
}
