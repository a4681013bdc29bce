/**
 * The pushed request. A push stores it, a browser opens it, and the answer to its client spends it. An interaction answers most of them.
 * Its lifecycle sends `answered` here, so that the answer and the use are one commit.
 */
import type {
  PushedRequestContext,
  PushedRequestEvent,
  PushedRequestRejectReason,
} from '../../../machines/pushed-request/facts.ts';
import { pushedRequestMachine } from '../../../machines/pushed-request/machine.ts';
import { type Commit, type CommitStore, insert, rowsOf, update } from '../../engine/commit.ts';
import { InvariantViolation } from '../../engine/errors.ts';
import type { Lifecycle } from '../../engine/lifecycle.ts';
import { type Request, run, runFound, type Sleeping } from '../../engine/run.ts';
import { rejectionIn } from '../../engine/step.ts';
import { within } from '../within.ts';
import { type NewPushedRequest, PUSHED_REQUESTS, type PushedRequest } from './entity.ts';

/** Null: nothing is stored. */
export type PushedRequestRow = { readonly request: PushedRequest | null };

/** The other requests of the client that can be opened. */
export type OpenRequests = {
  readonly count: number;
  /** When the first of them ends; null: there is none. */
  readonly endsAt: Date | null;
};

export type LoadedPushedRequest = PushedRequestRow & { readonly now: Date; readonly othersOpen: OpenRequests };

type PushedRequestFacts = {
  readonly now: Date;
  /** To be stored by this request; null: none. */
  readonly fresh: NewPushedRequest | null;
  readonly othersOpen: number;
  readonly mostOpen: number;
};

export type PushedRequestStore = {
  /** With the open requests of the client; a lost commit may have stored the fresh one. */
  readonly loadFresh: (fresh: Pick<NewPushedRequest, 'id' | 'clientId'>) => Promise<LoadedPushedRequest>;
  /** Null: not found. */
  readonly load: (id: string) => Promise<LoadedPushedRequest | null>;
  readonly commit: CommitStore;
};

/** The stored request, or the one to be stored. */
function subjectOf({ request }: PushedRequestRow, { fresh, now }: PushedRequestFacts): PushedRequest {
  if (request !== null) return request;
  if (fresh === null) throw new InvariantViolation('pushedRequest: the event is about no request');
  const { lifetimeSeconds, ...known } = fresh;
  return { ...known, state: 'pushed', createdAt: now, endsAt: new Date(now.getTime() + lifetimeSeconds * 1000) };
}

export const pushedRequestLifecycle: Lifecycle<PushedRequestRow, PushedRequestFacts, Commit> = {
  machine: pushedRequestMachine,
  stateOf: ({ request }) => request?.state ?? 'unpushed',
  contextOf: (row, facts): PushedRequestContext => {
    const { clientId, endsAt } = subjectOf(row, facts);
    return { clientId, endsAt: endsAt.getTime(), othersOpen: facts.othersOpen, mostOpen: facts.mostOpen };
  },
  answers: {
    received: ['storeRequest', 'reject'],
    opened: ['openRequest', 'reject'],
    answered: ['spendRequest', 'reject'],
  },
  changes: {
    storeRequest: (row, facts) => ({ request: subjectOf(row, facts) }),
    spendRequest: (row, facts) => ({ request: { ...subjectOf(row, facts), state: 'used', sealed: '' } }),
  },
  ledgerFacts: (row, facts) => {
    const { id, clientId } = subjectOf(row, facts);
    return { interactionId: id, clientId };
  },
  commitOf: ({ before, after }, { now, mostOpen }, entries) => {
    if (after.request === null) throw new InvariantViolation('pushedRequest: a change without a request');
    const { clientId } = after.request;
    if (before.request !== null)
      return {
        now,
        requires: [],
        writes: [update(PUSHED_REQUESTS, before.request, after.request, ['state'])],
        entries,
      };
    return {
      now,
      requires: [
        {
          // Without a lock: commits that meet may exceed it by their number.
          that: 'few enough requests of the client are open',
          rows: [rowsOf(PUSHED_REQUESTS, { clientId, state: 'pushed' }, { later: { endsAt: now } })],
          are: { fewerThan: mostOpen },
        },
      ],
      writes: [insert(PUSHED_REQUESTS, after.request, [{ id: after.request.id }])],
      entries,
    };
  },
};

/** Of a row that answers a pushed request, or one that no client pushed. */
export type AnsweringRow = { readonly pushed: PushedRequest | null };

/** @returns the effect of an answer to the client: the event `answered`, where the client pushed the request. */
export function answerIn<Row extends AnsweringRow>() {
  const lifecycle = within(
    pushedRequestLifecycle,
    ({ pushed }: Row) => ({ request: pushed }),
    (row, { request }) => ({ ...row, pushed: request }),
  );
  return ({ pushed }: Row, { now }: { readonly now: Date }) => {
    const facts: PushedRequestFacts = { ...OF_NO_PUSH, now };
    const event: PushedRequestEvent = { type: 'answered' };
    return pushed === null ? null : { lifecycle, facts, event };
  };
}

const OF_NO_PUSH = { fresh: null, othersOpen: 0, mostOpen: 0 } as const;

// Requests.

/** Why no request is stored, and why a stored one is not opened or answered. */
type NotStored = Extract<PushedRequestRejectReason, 'too_many_pushed_requests' | 'pushed_request_used'>;
export type UselessReason = Exclude<PushedRequestRejectReason, 'too_many_pushed_requests'>;

type Rejected<Reason> = { readonly kind: 'rejected'; readonly reason: Reason };
export type PushedRequestRejected = Rejected<NotStored | UselessReason>;

type PushedRequestRequest<Answer, Reason> = Request<
  LoadedPushedRequest,
  PushedRequestRow,
  PushedRequestFacts,
  Commit,
  Answer | Rejected<Reason>
>;

/** @param mostOpen how many requests of one client may be open. */
export const receiveRequest = (
  fresh: NewPushedRequest,
  mostOpen: number,
): PushedRequestRequest<{ readonly kind: 'stored' }, NotStored> => ({
  lifecycle: pushedRequestLifecycle,
  read: ({ now, request, othersOpen }) => {
    const event: PushedRequestEvent = { type: 'received' };
    return { row: { request }, facts: { now, fresh, othersOpen: othersOpen.count, mostOpen }, event };
  },
  answer: (step) => rejectionIn<NotStored>(step) ?? { kind: 'stored' },
  isIn: ({ request }) => request !== null,
});

/** @param clientId that the browser brought beside it. */
export const openRequest = (
  clientId: string,
): PushedRequestRequest<{ readonly kind: 'opened'; readonly request: PushedRequest }, UselessReason> => ({
  lifecycle: pushedRequestLifecycle,
  read: ({ now, request }) => {
    const event: PushedRequestEvent = { type: 'opened', now: now.getTime(), clientId };
    return { row: { request }, facts: { ...OF_NO_PUSH, now }, event };
  },
  answer: (step, { request }) => {
    const rejected = rejectionIn<UselessReason>(step);
    if (rejected) return rejected;
    if (request === null) throw new InvariantViolation('pushedRequest: a request that is not stored was opened');
    return { kind: 'opened', request };
  },
});

/** Its client gets an error, without an interaction. */
export const answerRequest = (): PushedRequestRequest<{ readonly kind: 'spent' }, UselessReason> => ({
  lifecycle: pushedRequestLifecycle,
  read: ({ now, request }) => {
    const event: PushedRequestEvent = { type: 'answered' };
    return { row: { request }, facts: { ...OF_NO_PUSH, now }, event };
  },
  answer: (step) => rejectionIn<UselessReason>(step) ?? { kind: 'spent' },
});

export type PushedRequestPorts = Sleeping & { readonly pushedRequests: PushedRequestStore };

/** @throws Unavailable */
export async function pushRequest(
  { pushedRequests, sleep }: PushedRequestPorts,
  fresh: NewPushedRequest,
  mostOpen: number,
): Promise<{ readonly kind: 'stored' } | (Rejected<NotStored> & { readonly open: OpenRequests; readonly now: Date })> {
  const first = await pushedRequests.loadFresh(fresh);
  const load = () => pushedRequests.loadFresh(fresh);
  const answer = await run({ load, commit: pushedRequests.commit, sleep }, receiveRequest(fresh, mostOpen), first);
  return answer.kind === 'stored' ? answer : { ...answer, open: first.othersOpen, now: first.now };
}

/** @throws Unavailable, StoreUnavailable */
export async function openPushedRequest(
  { pushedRequests, sleep }: PushedRequestPorts,
  id: string,
  clientId: string,
  isIts: (request: PushedRequest) => boolean,
): Promise<{ readonly kind: 'opened'; readonly request: PushedRequest } | Rejected<UselessReason>> {
  const load = () => pushedRequests.load(id);
  const found = await load();
  if (found?.request == null || !isIts(found.request)) return { kind: 'rejected', reason: 'pushed_request_unknown' };
  const opened = await runFound({ load, commit: pushedRequests.commit, sleep }, openRequest(clientId), found);
  return opened ?? { kind: 'rejected', reason: 'pushed_request_unknown' };
}

/** @throws Unavailable */
export async function spendPushedRequest(
  { pushedRequests, sleep }: PushedRequestPorts,
  id: string,
): Promise<{ readonly kind: 'spent' } | Rejected<UselessReason>> {
  const load = () => pushedRequests.load(id);
  const spent = await runFound({ load, commit: pushedRequests.commit, sleep }, answerRequest());
  return spent ?? { kind: 'rejected', reason: 'pushed_request_unknown' };
}
