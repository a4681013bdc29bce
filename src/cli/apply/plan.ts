/**
 * The plan of `statehouse apply`: for each record of the folder, the changes of the server. The server says so itself, by a dry run of
 * the request that carries it out.
 */
import { isDeepStrictEqual } from 'node:util';
import { isOwnClient } from '../../config/own-clients.ts';
import type { Document } from '../../management/client/documents.ts';
import type { ManagementApi } from '../administration/api.ts';
import { allOf, userNamed } from '../administration/lists.ts';
import { type ApiRefused, isReason, orNull, recordProblems } from '../administration/refusals.ts';
import type { Wanted } from './folder.ts';

type Change = { readonly field: string; readonly from: unknown; readonly to: unknown };

export type Step = {
  readonly kind: Wanted['kind'];
  readonly name: string;
  readonly action: 'create' | 'change' | 'delete' | 'none' | 'refused';
  readonly changes: readonly Change[];
  /** Sentences: grants and sessions that end with it, and probable mistakes. */
  readonly consequences: readonly string[];
  /** The last change of it by another actor. Null: none, or the caller may not read the ledger. */
  readonly drift: { readonly actor: string; readonly at: string } | null;
  /** Why the server refuses it. */
  readonly problems: readonly string[];
  /** @returns the secret that the server made. */
  readonly carryOut: () => Promise<string | null>;
};

export type Plan = {
  readonly steps: readonly Step[];
  /** Clients of the server that no file names. They stay as they are. */
  readonly notInFolder: readonly string[];
};

type Planned = Omit<Step, 'kind' | 'name' | 'drift'> & {
  /** Of an end-user that the server has. */
  readonly sub?: string;
};
const NOTHING = { changes: [], consequences: [], problems: [], carryOut: async () => null } as const;

/** Changes nothing. @throws CommandRefused without an answer of the server. */
export async function planOf(api: ManagementApi, wanted: readonly Wanted[]): Promise<Plan> {
  const me = await actorOf(api);
  const steps: Step[] = [];
  for (const one of wanted) {
    const { kind, name } = one;
    const planned = await refusedOr(() =>
      kind === 'client' ? planOfClient(api, one.record) : planOfUser(api, one.record),
    );
    const { sub, ...step } = planned;
    const isDrift = step.action === 'change' || step.action === 'delete';
    const of = kind === 'client' ? { client_id: name } : { sub };
    steps.push({ kind, name, ...step, drift: isDrift ? await driftOf(api, { machine: kind, ...of }, me) : null });
  }
  return { steps, notInFolder: await clientsBeside(api, wanted) };
}

async function refusedOr(plan: () => Promise<Planned>): Promise<Planned> {
  try {
    return await plan();
  } catch (error) {
    const problems = recordProblems(error) ?? (isOfTheRecord(error) ? [error.message] : null);
    if (problems === null) throw error;
    return { ...NOTHING, action: 'refused', problems };
  }
}

const isOfTheRecord = (error: unknown): error is ApiRefused =>
  isReason(error, 'client_is_declared', 'client_is_own', 'username_taken', 'address_taken', 'already_exists');

type ClientRecord = Extract<Wanted, { readonly kind: 'client' }>['record'];

async function planOfClient(api: ManagementApi, { absent, ...body }: ClientRecord): Promise<Planned> {
  const params = { client_id: body.client_id };
  const stored = await orNull(api.send('GET', '/clients/{client_id}', { params }));
  const ifMatch = stored?.etag ?? null;
  if (absent) {
    if (stored === null) return { ...NOTHING, action: 'none' };
    await api.send('DELETE', '/clients/{client_id}', { params, ifMatch, dryRun: true });
    const carryOut = async () => {
      await api.send('DELETE', '/clients/{client_id}', { params, ifMatch });
      return null;
    };
    return { ...NOTHING, action: 'delete', consequences: [await endsWithClient(api, body.client_id)], carryOut };
  }
  const request = { params, body, ifMatch } as const;
  const { value } = await api.send('PUT', '/clients/{client_id}', { ...request, dryRun: true });
  const warnings = value.warnings ?? [];
  const carryOut = async () => (await api.send('PUT', '/clients/{client_id}', request)).value.client_secret ?? null;
  if (stored === null) return { ...NOTHING, action: 'create', consequences: warnings, carryOut };
  const changes = changesBetween(stored.value, value);
  if (changes.length === 0) return { ...NOTHING, action: 'none', consequences: warnings };
  return {
    ...NOTHING,
    action: 'change',
    changes,
    consequences: [await goesOnWithClient(api, body.client_id), ...warnings],
    carryOut,
  };
}

type UserRecord = Extract<Wanted, { readonly kind: 'user' }>['record'];

async function planOfUser(api: ManagementApi, { absent, ...body }: UserRecord): Promise<Planned> {
  const found = await userNamed(api, body.username);
  const stored = found && (await orNull(api.send('GET', '/users/{sub}', { params: { sub: found.sub } })));
  if (stored === null) {
    if (absent) return { ...NOTHING, action: 'none' };
    const { disabled = false, ...registration } = body;
    await api.send('POST', '/users', { body: registration, dryRun: true });
    const carryOut = async () => {
      const { value, etag } = await api.send('POST', '/users', { body: registration });
      const change = { params: { sub: value.sub }, body: { disabled }, ifMatch: etag } as const;
      if (disabled) await api.send('PATCH', '/users/{sub}', change);
      return null;
    };
    return { ...NOTHING, action: 'create', carryOut };
  }
  const params = { sub: stored.value.sub };
  const ifMatch = stored.etag;
  if (absent) {
    await api.send('DELETE', '/users/{sub}', { params, ifMatch, dryRun: true });
    const carryOut = async () => {
      await api.send('DELETE', '/users/{sub}', { params, ifMatch });
      return null;
    };
    return { ...NOTHING, ...params, action: 'delete', consequences: [await endsWithUser(api, params.sub)], carryOut };
  }
  const request = { params, body, ifMatch } as const;
  const { value } = await api.send('PUT', '/users/{sub}', { ...request, dryRun: true });
  const changes = changesBetween(stored.value, value);
  if (changes.length === 0) return { ...NOTHING, action: 'none' };
  const ends = value.disabled && !stored.value.disabled;
  const carryOut = async () => {
    await api.send('PUT', '/users/{sub}', request);
    return null;
  };
  return {
    ...NOTHING,
    ...params,
    action: 'change',
    changes,
    consequences: ends ? [await endsWithUser(api, params.sub)] : [],
    carryOut,
  };
}

/** Only shown, or made by the change. */
const BESIDE = new Set(['_links', 'disabled_at', 'stored_secrets', 'client_secret', 'warnings', 'changed_at', 'etag']);

function changesBetween(before: object, after: object): readonly Change[] {
  const [from, to] = [before, after] as readonly Readonly<Record<string, unknown>>[];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((field) => !BESIDE.has(field) && !isDeepStrictEqual(from?.[field], to?.[field]))
    .map((field) => ({ field, from: from?.[field], to: to?.[field] }));
}

const atLeast = (exact: boolean): string => (exact ? '' : 'more than ');
type OfClient = Document<'GET', '/clients/{client_id}/consequences'>;
const grantsOf = ({ living_grants: grants, end_users: users, exact }: OfClient): string =>
  `${atLeast(exact)}${grants} active grants of ${users} end-users`;

const ofClient = async (api: ManagementApi, clientId: string): Promise<OfClient> =>
  (await api.send('GET', '/clients/{client_id}/consequences', { params: { client_id: clientId } })).value;

const endsWithClient = async (api: ManagementApi, clientId: string): Promise<string> =>
  `ends ${grantsOf(await ofClient(api, clientId))}`;

const goesOnWithClient = async (api: ManagementApi, clientId: string): Promise<string> =>
  `${grantsOf(await ofClient(api, clientId))} continue under it`;

async function endsWithUser(api: ManagementApi, sub: string): Promise<string> {
  const { value } = await api.send('GET', '/users/{sub}/consequences', { params: { sub } });
  const { living_grants: grants, active_sessions: sessions, exact } = value;
  return `ends ${atLeast(exact)}${grants} active grants and ${sessions} sessions`;
}

/** As the ledger names the caller. */
async function actorOf(api: ManagementApi): Promise<readonly string[]> {
  const { me } = (await api.send('GET', '/', {})).value;
  return me.kind === 'operator' ? [`operator ${me.sub}`] : [`client ${me.client_id}`, 'command_line'];
}

type About = { readonly machine: Wanted['kind']; readonly client_id?: string; readonly sub?: string | undefined };

async function driftOf(api: ManagementApi, about: About, me: readonly string[]): Promise<Step['drift']> {
  try {
    const query = { limit: 1, ...about };
    const [last] = (await api.send('GET', '/transitions', { query })).value.items;
    return last?.actor && !me.includes(last.actor) ? { actor: last.actor, at: last.at } : null;
  } catch (error) {
    // A plan needs no right to read the ledger.
    if (isReason(error, 'insufficient_scope')) return null;
    throw error;
  }
}

async function clientsBeside(api: ManagementApi, wanted: readonly Wanted[]): Promise<readonly string[]> {
  const named = new Set(wanted.flatMap(({ kind, name }) => (kind === 'client' ? [name] : [])));
  const stored = await allOf((page) => api.send('GET', '/clients', { query: page }));
  return stored
    .filter(({ client_id: id, declared }) => !declared && !isOwnClient(id) && !named.has(id))
    .map(({ client_id }) => client_id);
}
