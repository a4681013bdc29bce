/**
 * The walk of pushed requests by themselves: two clients push, and browsers and thieves bring the links. The answers that interactions
 * give are walked beside the interaction.
 */
import type { Commit } from '../../engine/commit.ts';
import { changeOf } from '../../review/proof/carry-out.ts';
import { askingFor, type DefinedInvariant, defineWalk, initialState } from '../../review/proof/define-walk.ts';
import { after } from '../../review/proof/instants.ts';
import { everythingIsAnswered } from '../../review/proof/invariants.ts';
import { runAlone, storedAfter } from '../../review/proof/moves.ts';
import { PUSHED_REQUESTS, type PushedRequest } from './entity.ts';
import {
  answerRequest,
  type LoadedPushedRequest,
  openRequest,
  type PushedRequestRejected,
  receiveRequest,
} from './lifecycle.ts';

type Stored = { readonly pushedRequests: readonly PushedRequest[] };

type Asked =
  | { readonly kind: 'push'; readonly clientId: string }
  /** With this client_id beside it. */
  | { readonly kind: 'open'; readonly id: string; readonly clientId: string }
  | { readonly kind: 'answer'; readonly id: string };

type Terms = {
  readonly stored: Stored;
  readonly asked: Asked;
  readonly loaded: LoadedPushedRequest & Stored;
  readonly commit: Commit;
  readonly answer: { readonly kind: 'stored' | 'opened' | 'spent' } | PushedRequestRejected;
  /** The requests whose answer was committed. */
  readonly known: { readonly answered: readonly string[] };
};

const CLIENTS = ['a client', 'another client'] as const;
const [OWN, ANOTHER] = CLIENTS;
const LIFETIME_SECONDS = 60;
const MOST_OPEN = 2;

const request = (change: Partial<PushedRequest> = {}): PushedRequest => ({
  id: 'the request',
  clientId: OWN,
  handleHash: Buffer.from('hash'),
  sealed: 'the parameters',
  state: 'pushed',
  createdAt: after(-30),
  endsAt: after(30),
  ...change,
});

const given = (says: string, ...pushedRequests: PushedRequest[]) =>
  initialState<Terms>(says, { pushedRequests }, { answered: [] });

const isOpenAt = ({ state, endsAt }: PushedRequest, now: number): boolean =>
  state === 'pushed' && now < endsAt.getTime();

/** As the statements load them (src/storage/pushed-requests.ts). */
function load({ pushedRequests }: Stored, asked: Asked, now: Date): Terms['loaded'] {
  if (asked.kind !== 'push') {
    const found = pushedRequests.find(({ id }) => id === asked.id) ?? null;
    return { now, request: found, othersOpen: { count: 0, endsAt: null }, pushedRequests };
  }
  const open = pushedRequests.filter((one) => one.clientId === asked.clientId && isOpenAt(one, now.getTime()));
  const othersOpen = { count: open.length, endsAt: open[0]?.endsAt ?? null };
  return { now, request: null, othersOpen, pushedRequests };
}

/** The id of a push is drawn after it is asked for. */
function pushed(clientId: string, id: string) {
  const fresh = { id, clientId, handleHash: Buffer.from(id), sealed: `parameters of ${id}` };
  const push = receiveRequest({ ...fresh, lifetimeSeconds: LIFETIME_SECONDS }, MOST_OPEN);
  const found = (loaded: Terms['loaded']): Terms['loaded'] => ({
    ...loaded,
    request: loaded.pushedRequests.find((one) => one.id === id) ?? null,
  });
  return {
    ...push,
    read: (loaded: Terms['loaded']) => push.read(found(loaded)),
    isIn: (loaded: Terms['loaded']) => found(loaded).request !== null,
  };
}

const requestsAt = ({ pushedRequests }: Stored): readonly Asked[] => [
  ...CLIENTS.map((clientId): Asked => ({ kind: 'push', clientId })),
  ...pushedRequests.flatMap(({ id }): readonly Asked[] => [
    ...CLIENTS.map((clientId): Asked => ({ kind: 'open', id, clientId })),
    { kind: 'answer', id },
  ]),
];

const INVARIANTS: readonly DefinedInvariant<Terms>[] = [
  {
    name: 'one-answer-to-a-request',
    says: 'A pushed request has one answer, and that answer erases its parameters.',
    spec: 'RFC 9126 §4, §7.3',
    violation: (_, { known }, { commit, after: { stored } }) => {
      const change = commit?.held ? changeOf(commit.commit, PUSHED_REQUESTS) : null;
      if (change?.after.state !== 'used') return null;
      if (known.answered.includes(change.after.id)) return 'it was answered twice';
      return stored.pushedRequests.some(({ state, sealed }) => (state === 'used') !== (sealed === ''))
        ? 'an answered request keeps its parameters'
        : null;
    },
  },
  {
    name: 'only-its-client-opens-it',
    says: 'A link opens for the client that pushed it, in time and before its answer, and for no other client, however it got it.',
    spec: 'RFC 9126 §2.2, §4',
    violationAt: (walk, modelState) => {
      const wrong = modelState.stored.pushedRequests.flatMap((one) =>
        CLIENTS.filter((clientId) => {
          const ran = runAlone(walk, modelState, { kind: 'open', id: one.id, clientId });
          const opens = ran.kind === 'answered' && ran.answer?.kind === 'opened';
          return opens !== (clientId === one.clientId && isOpenAt(one, modelState.now));
        }).map((clientId) => `${one.id} with the client_id of ${clientId}`),
      );
      return wrong[0] ?? null;
    },
  },
  {
    name: 'so-many-are-open',
    says: 'Of one client, no more requests are open than the limit allows, whatever other clients push.',
    spec: 'RFC 9126 §2.3',
    violationAt: (walk, modelState) => {
      const { stored, now } = modelState;
      for (const clientId of CLIENTS) {
        const open = stored.pushedRequests.filter((one) => one.clientId === clientId && isOpenAt(one, now)).length;
        if (open > MOST_OPEN) return `${clientId} has ${open} open requests`;
        const next = storedAfter(walk, modelState, { kind: 'push', clientId });
        const isStored = next !== null && next.pushedRequests.length > stored.pushedRequests.length;
        if (isStored !== open < MOST_OPEN)
          return `${clientId} has ${open} and ${isStored ? 'gets' : 'does not get'} another`;
      }
      return null;
    },
  },
  {
    name: 'requests-are-answered',
    says: 'Each request without an answer can get one: nothing above holds because nothing works.',
    spec: 'RFC 9126 §4',
    violationAt: (walk, modelState) => {
      const open = modelState.stored.pushedRequests.filter(({ state }) => state === 'pushed');
      const kept = open.find(
        ({ id }) =>
          storedAfter(walk, modelState, { kind: 'answer', id })?.pushedRequests.find((one) => one.id === id)?.state !==
          'used',
      );
      return kept ? `${kept.id} is not answered` : null;
    },
  },
  {
    name: 'every-pushed-event-is-answered',
    says: 'Every event of a pushed request is answered, in every state that can be reached.',
    ...everythingIsAnswered<Terms>(({ stored }) => requestsAt(stored)),
  },
];

export const pushedRequests = defineWalk<Terms>({
  name: 'pushed-requests',
  of: 'pushed requests',
  machines: ['pushedRequest'],
  spec: 'RFC 9126 §2.1, §2.2',
  bounds: [
    { requests: 3, inFlight: 2, faults: 0 },
    { requests: 2, inFlight: 2, faults: 1 },
  ],
  initialStates: [
    given('No client has pushed a request'),
    given('A client has pushed a request', request()),
    given('A client has pushed as many as it may', request(), request({ id: 'a second request', endsAt: after(60) })),
    given('A request was answered', request({ state: 'used', sealed: '' })),
    given('Another client has pushed a request', request({ clientId: ANOTHER })),
  ],
  load,
  requests: ({ stored }) => requestsAt(stored),
  asking: askingFor<Terms>({
    push: {
      name: 'a request',
      from: ({ clientId }) => `${clientId} pushes`,
      request: ({ clientId }, draw) => pushed(clientId, `request ${draw}`),
    },
    open: {
      name: ({ id, clientId }) => `${id}, with the client_id of ${clientId}`,
      from: 'A browser opens',
      request: ({ clientId }) => openRequest(clientId),
    },
    answer: { name: ({ id }) => id, from: 'An error answers', request: () => answerRequest() },
  }),
  whenCommitted: (known, _, commit) => {
    const change = changeOf(commit, PUSHED_REQUESTS);
    return change?.after.state === 'used' ? { answered: [...known.answered, change.after.id] } : known;
  },
  instants: ({ stored }) =>
    stored.pushedRequests.filter(({ state }) => state === 'pushed').map(({ endsAt }) => endsAt.getTime()),
  invariants: INVARIANTS,
  words: { commitNoun: () => 'the request', sender: 'clients and browsers' },
});
