/** An explanation as text and as JSON. Instants are in UTC; no token is shown. */
import { printable } from '../config/shown.ts';
import type { ADVICE } from '../review/explanation/advice.ts';
import type { CredentialPlace, Explanation, Life } from '../review/explanation/explanation.ts';
import type { GrantLife, LedgerLine } from '../storage/grant-life.ts';
import { LEDGER_KEPT_DAYS } from '../storage/ledger-partitions.ts';
import { fields } from './client-words.ts';
import { inWords } from './durations.ts';

type Explained = Pick<GrantLife, 'now' | 'grant' | 'client' | 'user'> & Explanation & { readonly grantId: string };

export const instant = (date: Date): string => `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;

export function explanationText(explained: Explained): string {
  const { grantId, grant, client, user, life, place } = explained;
  const clientId = grant?.clientId ?? explained.events.at(-1)?.clientId ?? null;
  const rows: (readonly [string, string | readonly string[]])[] = [
    ...(clientId === null ? [] : [['client', clientWords(clientId, client)] as const]),
    ...(user ? [['end-user', userWords(user)] as const] : []),
    ...(grant ? [['allowed', printable(`${grant.scope.join(' ')} at ${grant.resources.join(', ')}`)] as const] : []),
    ['now', lifeWords(life, explained)],
    ...(life.kind === 'over' && life.advice
      ? ([
          ['why', life.advice.why],
          ['what would have kept it', life.advice.keep],
        ] as const)
      : []),
    ...(place ? [['this one', placeWords(place, explained)] as const] : []),
  ];
  return `grant ${grantId}\n${fields(rows)}\n${timeline(explained)}`;
}

const clientWords = (clientId: string, client: Explained['client']): string => {
  if (client === null) return printable(clientId);
  const name = client.clientName === client.clientId ? '' : ` (${printable(client.clientName)})`;
  const deleted = client.deletedAt === null ? '' : `, deleted ${instant(client.deletedAt)}`;
  return `${printable(clientId)}${name}${deleted}`;
};

const userWords = ({ id, username, disabledAt }: NonNullable<Explained['user']>): string =>
  `${printable(username)} (sub ${id})${disabledAt === null ? '' : `, disabled ${instant(disabledAt)}`}`;

function lifeWords(life: Life, { grant, now }: Explained): string {
  if (life.kind === 'alive') {
    const until = `until ${instant(life.until)}, in ${span(life.until.getTime() - now.getTime())}`;
    return life.what === 'code' ? `alive: its code waits, ${until}` : `alive, ${until}${UNLESS[life.end] ?? ''}`;
  }
  const since = life.since === null ? '' : `, since ${instant(life.since)}`;
  const gone = grant === null ? '; its row was removed, as every row is an hour after the end of its chain' : '';
  return `over${life.reason === null ? '' : ` (${life.reason})`}${since}${gone}`;
}

/** Whether a use would postpone the end. */
const UNLESS: Partial<Record<keyof typeof ADVICE, string>> = {
  idle_end: ', unless it is used before',
  absolute_end: ', however much it is used',
};

function placeWords(place: CredentialPlace, { life }: Explained): string {
  const isAlive = life.kind === 'alive';
  switch (place.kind) {
    case 'current':
      return isAlive
        ? 'a refresh token, the head of its chain: the one to use next'
        : 'a refresh token, the last one of its chain';
    case 'used': {
      const moved = `used: ${place.behind} ${place.behind === 1n ? 'rotation' : 'rotations'} ago`;
      return `a refresh token, ${moved}.${isAlive ? ' Presenting it again ends the chain' : ''}`.replace(/\.$/, '');
    }
    case 'ahead':
      return 'a refresh token, authentic and newer than anything stored: the database has lost commits. Run "statehouse recover"';
    case 'code_unused':
      return 'its code, never exchanged';
    case 'code_used':
      return `its code, used.${isAlive ? ' Presenting it again with its verifier ends the chain' : ''}`.replace(
        /\.$/,
        '',
      );
    case 'not_the_code':
      return 'a code that names this grant but is not its code: guessed or garbled. It changes nothing';
    case 'access_token':
      return place.expired
        ? `an access token, expired ${instant(place.expiresAt)}`
        : `an access token, good until ${instant(place.expiresAt)}${isAlive ? '' : ' at APIs that do not ask the server'}`;
    case 'unknown':
      return 'its place in the chain is no longer known';
  }
}

function timeline({ events, earlierLines, isCut }: Explained): string {
  const cut = isCut
    ? `  The beginning is missing: lines of the ledger are dropped after ${LEDGER_KEPT_DAYS} days.\n`
    : earlierLines > 0
      ? `  ${earlierLines} earlier lines are in the ledger too.\n`
      : '';
  return `what happened\n${cut}${folded(events).join('')}`;
}

/** Of longer runs of rotations only the first, the number and the last are shown. */
const MAX_ROTATIONS_SHOWN = 4;

function folded(events: readonly LedgerLine[]): string[] {
  const rows: string[] = [];
  let run: LedgerLine[] = [];
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

const isRotation = ({ machine, to }: LedgerLine) => machine === 'refreshToken' && to === 'used';

const eventLine = (event: LedgerLine): string => {
  const policy = event.policy === null ? '' : ` (policy ${printable(event.policy)})`;
  const withheld = event.scopeWithheld === null ? '' : `; without ${printable(event.scopeWithheld)}`;
  return `  ${instant(event.at)}  ${printable(eventWords(event))}${withheld}${policy}\n`;
};

function eventWords({ machine, event, from, to, reason, generation, clientId }: LedgerLine): string {
  const by = clientId === null ? 'the client' : clientId;
  const why = reason === null ? '' : ` (${reason})`;
  if (to === 'approved') return `the end-user approves; ${by} gets a code`;
  if (machine === 'authorizationCode' && to === 'used') return `${by} exchanges the code: refresh token 0 is the head`;
  if (isRotationOf(machine, to)) return `${by} uses its refresh token: ${generation ?? 'the next one'} is the head`;
  if (machine === 'authorizationCode' && to === 'revoked') return `the code, already used, is presented again${why}`;
  if (machine === 'refreshToken' && to === 'revoked')
    return reason === 'chain_behind_token'
      ? `a refresh token newer than the head is presented${why}`
      : `a used refresh token is presented again; the head is ${generation ?? 'none'}${why}`;
  if (machine === 'grant' && to === 'revoked') return `the whole chain ends${why}`;
  return `${machine}: ${event}, ${from} → ${to}${why}`;
}

const isRotationOf = (machine: string, to: string) => machine === 'refreshToken' && to === 'used';

const span = (milliseconds: number): string => inWords(Math.max(0, Math.floor(milliseconds / 1000)));

export const explanationDocument = (explained: Explained) => ({
  grant_id: explained.grantId,
  found: explained.grant !== null,
  client: explained.client && {
    client_id: explained.client.clientId,
    client_name: explained.client.clientName,
    deleted_at: explained.client.deletedAt,
  },
  user: explained.user && {
    sub: explained.user.id,
    username: explained.user.username,
    disabled_at: explained.user.disabledAt,
  },
  scope: explained.grant?.scope ?? null,
  resources: explained.grant?.resources ?? null,
  now: explained.now,
  alive: explained.life.kind === 'alive',
  ...(explained.life.kind === 'alive'
    ? { alive_until: explained.life.until, what_waits: explained.life.what, would_end_by: explained.life.end }
    : {
        reason: explained.life.reason,
        over_since: explained.life.since,
        why: explained.life.advice?.why ?? null,
        what_would_have_kept_it: explained.life.advice?.keep ?? null,
      }),
  presented: explained.place && placeDocument(explained.place),
  events: explained.events.map(
    ({ at, machine, event, from, to, reason, generation, clientId, policy, scopeWithheld }) => ({
      at,
      machine,
      event,
      from,
      to,
      reason,
      generation: generation === null ? null : Number(generation),
      client_id: clientId,
      policy,
      scope_withheld: scopeWithheld,
    }),
  ),
  earlier_events: explained.earlierLines,
  beginning_was_dropped: explained.isCut,
});

const placeDocument = (place: CredentialPlace) => ({
  place: place.kind,
  ...(place.kind === 'used' && { rotations_ago: Number(place.behind) }),
  ...(place.kind === 'access_token' && { expires_at: place.expiresAt, expired: place.expired }),
});
