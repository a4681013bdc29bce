/** An explanation as text. Instants are in UTC; no token is shown. */
import { printable } from '../config/shown.ts';
import type { ADVICE } from '../explanation/advice.ts';
import type { ExplainedGrant, ExplainedWithoutGrant } from '../explanation/explain.ts';
import { fields } from './client-words.ts';
import { inWords } from './durations.ts';

type Event = ExplainedGrant['events'][number];

/** @param at RFC 3339. */
const instant = (at: string): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

export const explanationText = (document: ExplainedGrant | ExplainedWithoutGrant): string =>
  document.grant_id === null ? textWithoutGrant(document) : textOfGrant(document);

const textWithoutGrant = ({ presented }: ExplainedWithoutGrant): string => `${printable(presented.says)}\n`;

function textOfGrant(explained: ExplainedGrant): string {
  const { client, user, scope, resources, presented, events } = explained;
  const clientId = client?.client_id ?? events.at(-1)?.client_id ?? null;
  const rows: (readonly [string, string | readonly string[]])[] = [
    ...(clientId === null ? [] : [['client', clientWords(clientId, client)] as const]),
    ...(user ? [['end-user', userWords(user)] as const] : []),
    ...(scope && resources ? [['allowed', printable(`${scope.join(' ')} at ${resources.join(', ')}`)] as const] : []),
    ['now', lifeWords(explained)],
    ...(!explained.active && explained.why !== null && explained.what_would_have_kept_it !== null
      ? ([
          ['why', explained.why],
          ['prevention', explained.what_would_have_kept_it],
        ] as const)
      : []),
    ...(presented ? [['this one', presented.says] as const] : []),
  ];
  return `grant ${explained.grant_id}\n${fields(rows)}\n${timeline(explained)}`;
}

const clientWords = (clientId: string, client: ExplainedGrant['client']): string => {
  if (client === null) return printable(clientId);
  const name = client.client_name === client.client_id ? '' : ` (${printable(client.client_name)})`;
  const deleted = client.deleted_at === null ? '' : `, deleted ${instant(client.deleted_at)}`;
  return `${printable(clientId)}${name}${deleted}`;
};

const userWords = ({ sub, username, disabled_at: disabledAt }: NonNullable<ExplainedGrant['user']>): string =>
  `${printable(username)} (sub ${sub})${disabledAt === null ? '' : `, disabled ${instant(disabledAt)}`}`;

function lifeWords(explained: ExplainedGrant): string {
  if (explained.active) {
    const left = new Date(explained.active_until).getTime() - new Date(explained.now).getTime();
    const until = `until ${instant(explained.active_until)}, in ${span(left)}`;
    return explained.what_waits === 'code'
      ? `active: its code waits, ${until}`
      : `active, ${until}${UNLESS[explained.would_end_by] ?? ''}`;
  }
  const since = explained.ended_at === null ? '' : `, since ${instant(explained.ended_at)}`;
  const gone = explained.found ? '' : '; its row was removed, as every row is an hour after the end of its chain';
  return `ended${explained.reason === null ? '' : ` (${explained.reason})`}${since}${gone}`;
}

/** Whether a use would postpone the end. */
const UNLESS: Partial<Record<keyof typeof ADVICE, string>> = {
  idle_end: ', unless it is used before',
  absolute_end: ', however much it is used',
};

function timeline({ events, earlier_events: earlier, beginning_was_dropped: isCut }: ExplainedGrant): string {
  const cut = isCut
    ? '  The beginning is missing: old lines of the ledger are dropped (ledger.yaml).\n'
    : earlier > 0
      ? `  ${earlier} earlier lines are in the ledger too.\n`
      : '';
  return `what happened\n${cut}${folded(events).join('')}`;
}

/** Of longer runs of rotations only the first, the number and the last are shown. */
const MAX_ROTATIONS_SHOWN = 4;

function folded(events: readonly Event[]): string[] {
  const rows: string[] = [];
  let run: Event[] = [];
  const flush = () => {
    const [first, last] = [run[0], run.at(-1)];
    if (run.length > MAX_ROTATIONS_SHOWN && first && last) {
      rows.push(eventLine(first), `  ${' '.repeat(23)}  … ${run.length - 2} more rotations\n`, eventLine(last));
    } else rows.push(...run.map(eventLine));
    run = [];
  };
  for (const event of events) {
    if (isRotation(event)) run.push(event);
    else {
      flush();
      rows.push(eventLine(event));
    }
  }
  flush();
  return rows;
}

const isRotation = ({ machine, from, to }: Event) => machine === 'refreshToken' && from === 'active' && to === 'used';

const eventLine = (event: Event): string => {
  const policy = event.policy === null ? '' : ` (policy ${printable(event.policy)})`;
  const withheld = event.scope_withheld === null ? '' : `; without ${printable(event.scope_withheld)}`;
  const by = event.actor === null ? '' : `; asked for by ${printable(actorWords(event.actor))}`;
  const agent = event.user_agent === null ? '' : ` (${printable(event.user_agent)})`;
  const from = event.address === null ? '' : `; from ${printable(event.address)}${agent}`;
  return `  ${instant(event.at)}  ${printable(event.says)}${by}${from}${withheld}${policy}\n`;
};

/** @param actor as the ledger has it (src/model/actor.ts). */
const actorWords = (actor: string): string => (actor === 'command_line' ? 'the command line' : actor);

const span = (milliseconds: number): string => inWords(Math.max(0, Math.floor(milliseconds / 1000)));
