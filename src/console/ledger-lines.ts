/** Ledger entries, as the API returns them, and the filters for them. */
import type { Item } from '../management/client/documents.ts';
import type { Answer, ManagementApi, Page, Problem } from './management-api.ts';
import type { Fields } from './shown.ts';

export type LedgerLine = Item<'/transitions'>;

/**
 * The filters, by the names of the inputs. Times are in UTC. `event` may contain several names, separated by spaces.
 */
export const FILTERS = [
  'reason',
  'client_id',
  'sub',
  'actor',
  'actor_sub',
  'grant_id',
  'session_id',
  'address',
  'user_agent',
  'machine',
  'event',
  'from_state',
  'to_state',
  'from',
  'to',
] as const;

export type Asked = Readonly<Record<(typeof FILTERS)[number], string>>;

export const askedIn = (query: Fields): Asked =>
  Object.fromEntries(FILTERS.map((field) => [field, query.get(field).trim()])) as Asked;

/** The API reads a bounded number of entries for each request, so a page can be empty and still have a next page. */
const MAX_REQUESTS = 8;
const LINES_PER_REQUEST = 100;

export type Lines = {
  readonly kind: 'lines';
  readonly lines: readonly LedgerLine[];
  /** Null: no more entries. */
  readonly next: string | null;
};

/** Requests entries until there are enough, or until the limit of requests. */
export async function linesFrom(
  api: ManagementApi,
  { event, ...filters }: Asked,
  cursor: string,
  wanted: number,
): Promise<Lines | { readonly kind: 'problem'; readonly problem: Problem }> {
  const events = event.split(' ').filter((name) => name !== '');
  // The API filters by one event. An arrow of a picture can stand for several.
  const query = { ...filters, ...(events.length === 1 && { event: events[0] }) };
  const isMeant = (line: LedgerLine) => events.length < 2 || events.includes(line.event);
  const lines: LedgerLine[] = [];
  let next: string | null = cursor;
  for (let request = 0; request < MAX_REQUESTS && lines.length < wanted && next !== null; request++) {
    // Never more than requested: the cursor stands after the last entry.
    const limit = Math.min(LINES_PER_REQUEST, wanted - lines.length);
    const answer: Answer<Page<LedgerLine>> = await api.list<LedgerLine>('/transitions', {
      ...query,
      limit,
      cursor: next,
    });
    if (!answer.ok) return { kind: 'problem', problem: answer.problem };
    lines.push(...answer.value.items.filter(isMeant));
    next = answer.value.next;
  }
  return { kind: 'lines', lines, next };
}
