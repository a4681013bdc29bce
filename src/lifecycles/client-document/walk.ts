/** The walk of documents of clients: requests that name a URL at several nodes, and fetches that bring a valid document, a broken one or none. */
import { BOUNDS } from '../../../machines/client-document/guards.ts';
import type { Commit } from '../../engine/commit.ts';
import type { RegisteredClient } from '../../model/client.ts';
import { askingFor, type DefinedInvariant, defineWalk, initialState } from '../../review/proof/define-walk.ts';
import { after } from '../../review/proof/instants.ts';
import { everythingIsAnswered } from '../../review/proof/invariants.ts';
import type { ModelState } from '../../review/proof/moment.ts';
import { runAlone, storedAfter } from '../../review/proof/moves.ts';
import type { Walk } from '../../review/proof/walk.ts';
import type { SentRegistration } from '../client/lifecycle.ts';
import {
  changedVetted,
  clientIn,
  commitWithClients,
  registeredAs,
  type StoredClients,
  storedOnce,
  WEB,
} from '../client/walk/stored-clients.ts';
import type { ClientDocument } from './entity.ts';
import {
  type DocumentAnswer,
  type DocumentRules,
  type Fetched,
  fetchedDocument,
  type LoadedClientDocument,
  nameDocument,
} from './lifecycle.ts';

type Stored = StoredClients & { readonly clientDocuments: readonly ClientDocument[] };

type Asked =
  | { readonly kind: 'name'; readonly clientId: string }
  | { readonly kind: 'report'; readonly clientId: string; readonly result: keyof typeof RESULTS };

type Terms = {
  readonly stored: Stored;
  readonly asked: Asked;
  readonly loaded: LoadedClientDocument;
  readonly commit: Commit;
  readonly answer: DocumentAnswer;
  readonly known: { readonly nothing: null };
};

const URLS = ['the document', 'another document', 'a document of another origin'] as const;
const [OWN, ANOTHER, FOREIGN] = URLS;
const FRESH_SECONDS = 60;
const MOST_STORED = 1;
const usable = BOUNDS.usableMilliseconds;
const pause = BOUNDS.backOffMilliseconds;

const registrationOf = (clientId: string, change: Partial<SentRegistration> = {}): SentRegistration => ({
  ...WEB,
  clientId,
  tokenEndpointAuthMethod: 'none',
  secretMacs: [],
  declared: false,
  registeredBy: 'self',
  ...change,
});
const registered = (clientId: string, change: Partial<RegisteredClient> = {}): RegisteredClient =>
  registeredAs(registrationOf(clientId), change);

const WITH_KEY = { tokenEndpointAuthMethod: 'private_key_jwt', jwksUri: 'https://client.example/jwks' } as const;
const described =
  (change: Partial<SentRegistration>) =>
  (clientId: string): Fetched => ({
    kind: 'described',
    registration: registrationOf(clientId, change),
    freshSeconds: FRESH_SECONDS,
  });

const NO_ANSWER = 'no answer';
/** The result of a fetch. */
const RESULTS = {
  'a valid document': described({}),
  'a document with another redirect URI': described({ redirectUris: ['https://client.example/moved'] }),
  'a document with a key': described(WITH_KEY),
  'a broken document': (): Fetched => ({ kind: 'malformed', problem: 'a rule' }),
  nothing: (): Fetched => ({ kind: 'unreachable', problem: NO_ANSWER }),
} as const;
const NAMES = Object.keys(RESULTS) as (keyof typeof RESULTS)[];

const rulesFor = (clientId: string): DocumentRules => ({
  originIsAllowed: clientId !== FOREIGN,
  policy: WEB.policy,
  mostStored: MOST_STORED,
});

const document = (change: Partial<ClientDocument> = {}): ClientDocument => ({
  clientId: OWN,
  state: 'known',
  fetchedAt: after(-FRESH_SECONDS / 2),
  freshUntil: after(FRESH_SECONDS / 2),
  failedAt: null,
  problem: null,
  ...change,
});
const failed = { failedAt: after(-1), problem: 'a rule' } as const;

const given = (says: string, documents: readonly ClientDocument[], ...clients: readonly RegisteredClient[]) =>
  initialState<Terms>(says, { clientDocuments: documents, ...storedOnce(clients) }, { nothing: null });

const documentIn = ({ clientDocuments }: Stored, clientId: string): ClientDocument | null =>
  clientDocuments.find((one) => one.clientId === clientId) ?? null;

/** As the statements load them (src/storage/client-documents.ts). */
const load = (stored: Stored, { clientId }: Asked, now: Date): LoadedClientDocument => ({
  now,
  clientId,
  document: documentIn(stored, clientId),
  ...clientIn(stored, clientId),
  othersStored: stored.clientDocuments.filter((one) => one.clientId !== clientId).length,
});

const requestsAt = (): readonly Asked[] =>
  URLS.flatMap((clientId): readonly Asked[] => [
    { kind: 'name', clientId },
    ...NAMES.map((result): Asked => ({ kind: 'report', clientId, result })),
  ]);

/** Derived from the rows and the time, not by the machine under test. Null: the origin is asked. */
function countsAt(stored: Stored, clientId: string, now: number): boolean | null {
  const { client } = clientIn(stored, clientId);
  const found = documentIn(stored, clientId);
  if (client?.deletedAt === null && client.registeredBy === 'operator') return true;
  if (client !== null && client.deletedAt !== null) return false;
  if (clientId === FOREIGN) return false;
  if (found?.state === 'known') return now < found.freshUntil.getTime() ? true : null;
  if (found?.failedAt == null || now - found.failedAt.getTime() >= pause) return null;
  return found.state === 'stale' && now - found.fetchedAt.getTime() < usable;
}

function answerAlone(walk: Walk<Terms>, modelState: ModelState<Terms>, asked: Asked): DocumentAnswer | null {
  const ran = runAlone(walk, modelState, asked);
  return ran.kind === 'answered' ? (ran.answer ?? null) : null;
}

const INVARIANTS: readonly DefinedInvariant<Terms>[] = [
  {
    name: 'a-document-counts-while-it-is-fresh',
    says: 'A request continues with a client whose document is fresh, or whose origin has just not answered, and with no other without a fetch.',
    spec: 'CIMD §5.2',
    violationAt: (walk, modelState) => {
      const wrong = URLS.find((clientId) => {
        const answer = answerAlone(walk, modelState, { kind: 'name', clientId });
        const counts = countsAt(modelState.stored, clientId, modelState.now);
        return answer?.kind !== (counts === null ? 'fetch' : counts ? 'usable' : 'rejected');
      });
      return wrong === undefined ? null : `a request that names ${wrong} gets another answer`;
    },
  },
  {
    name: 'documents-end-no-grants',
    says: 'The client of a document keeps its epoch and is not deleted, so its grants stay active.',
    spec: 'CIMD §8.4',
    violation: (_, { stored }, { after: now }) => {
      const changed = stored.clients.find(({ clientId, epoch, deletedAt }) => {
        const { client } = clientIn(now.stored, clientId);
        return client === null || client.epoch !== epoch || client.deletedAt !== deletedAt;
      });
      return changed ? `${changed.clientId} lost its grants` : null;
    },
  },
  {
    name: 'vetted-clients-stay',
    says: 'No document changes a client that an operator registered, or one that an administrator deleted.',
    spec: 'CIMD §7.2',
    violation: (_, { stored }, { after: now }) => changedVetted(stored, now.stored),
  },
  {
    name: 'keys-are-not-dropped',
    says: 'A client that authenticates with a key is never described without one.',
    spec: 'CIMD §8.4',
    violation: (_, { stored }, { after: now }) => {
      const weaker = stored.clients.find(
        ({ clientId, tokenEndpointAuthMethod }) =>
          tokenEndpointAuthMethod === 'private_key_jwt' &&
          clientIn(now.stored, clientId).client?.tokenEndpointAuthMethod !== 'private_key_jwt',
      );
      return weaker ? `${weaker.clientId} has no key any more` : null;
    },
  },
  {
    name: 'documents-are-bounded',
    says: 'No more documents are stored than the rules allow.',
    spec: 'CIMD §8.7',
    violationAt: (_, { stored }) =>
      stored.clientDocuments.length <= MOST_STORED ? null : `${stored.clientDocuments.length} documents are stored`,
  },
  {
    name: 'late-failures-undo-nothing',
    says: 'A fetch that failed changes no document that came meanwhile, and makes no refused document usable.',
    spec: 'CIMD §5.1',
    violation: (_, { stored, now: at }, { after: now }) => {
      const undone = stored.clientDocuments.find((one) => {
        const next = documentIn(now.stored, one.clientId);
        const isNew = one.state === 'known' && at - one.fetchedAt.getTime() < usable;
        return (
          (isNew && next?.state === 'refused' && next.problem === NO_ANSWER) ||
          (one.state === 'refused' && next?.state === 'stale')
        );
      });
      return undone ? `${undone.clientId} was changed by an older fetch` : null;
    },
  },
  {
    name: 'strangers-origins-store-nothing',
    says: 'Of an origin that the rules leave out, nothing is stored.',
    spec: 'CIMD §8.9',
    violationAt: (_, { stored }) =>
      documentIn(stored, FOREIGN) === null && clientIn(stored, FOREIGN).client === null
        ? null
        : 'a document of another origin is stored',
  },
  {
    name: 'documents-describe-their-clients',
    says: 'A valid document describes its client: nothing above holds because nothing works.',
    spec: 'CIMD §4, §5',
    violationAt: (walk, modelState) => {
      const { stored } = modelState;
      const { client } = clientIn(stored, OWN);
      const isOurs = client === null || (client.registeredBy === 'self' && client.deletedAt === null);
      const isFull = documentIn(stored, OWN) === null && stored.clientDocuments.length >= MOST_STORED;
      if (!isOurs || isFull) return null;
      const next = storedAfter(walk, modelState, { kind: 'report', clientId: OWN, result: 'a document with a key' });
      return next !== null && clientIn(next, OWN).client?.tokenEndpointAuthMethod === 'private_key_jwt'
        ? null
        : 'a valid document describes nothing';
    },
  },
  {
    name: 'every-event-of-a-document-is-answered',
    says: 'Every event of a document is answered, in every state that can be reached.',
    ...everythingIsAnswered<Terms>(requestsAt),
  },
];

const old = { fetchedAt: after(-usable / 1000 - 1), freshUntil: after(-usable / 2000) } as const;

export const clientDocuments = defineWalk<Terms>({
  name: 'client-documents',
  of: 'documents of clients',
  machines: ['clientDocument', 'client'],
  spec: 'CIMD §5',
  bounds: [
    { requests: 2, inFlight: 2, faults: 0 },
    { requests: 1, inFlight: 1, faults: 1 },
  ],
  initialStates: [
    given('No document is stored', []),
    given('A document is known', [document()], registered(OWN)),
    given('A document of a client with a key is known', [document()], registered(OWN, WITH_KEY)),
    given('A document is stale', [document({ state: 'stale', freshUntil: after(-1), ...failed })], registered(OWN)),
    given('A document is stale for too long', [document({ state: 'stale', ...old, ...failed })], registered(OWN)),
    given('A document was refused', [document({ state: 'refused', ...old, ...failed })], registered(OWN)),
    given('A document is known since long ago', [document(old)], registered(OWN)),
    given('Another document is stored', [document({ clientId: ANOTHER })], registered(ANOTHER)),
    given('An operator registered the client', [], registered(OWN, { registeredBy: 'operator' })),
    given(
      'An operator adopted the client',
      [document({ state: 'refused', ...failed })],
      registered(OWN, { registeredBy: 'operator' }),
    ),
    given('An administrator deleted the client', [document()], registered(OWN, { epoch: 1n, deletedAt: after(-1) })),
  ],
  load,
  commit: (stored, change, _, leftOut) => commitWithClients(stored, change, leftOut),
  requests: requestsAt,
  asking: askingFor<Terms>({
    name: {
      name: ({ clientId }) => clientId,
      from: 'A request names',
      request: ({ clientId }) => nameDocument(rulesFor(clientId), () => null),
    },
    report: {
      name: ({ clientId, result }) => `${result} for ${clientId}`,
      from: 'A fetch brings',
      request: ({ clientId, result }) => fetchedDocument(rulesFor(clientId), RESULTS[result](clientId)),
    },
  }),
  instants: ({ stored }) =>
    stored.clientDocuments.flatMap(({ freshUntil, fetchedAt, failedAt }) => [
      freshUntil.getTime(),
      fetchedAt.getTime() + usable,
      ...(failedAt === null ? [] : [failedAt.getTime() + pause]),
    ]),
  invariants: INVARIANTS,
  words: {
    commit: ({ writes }) => writes.map(({ table }) => `${table} change`).join(', '),
    commitNoun: () => 'the document',
    sender: 'nodes',
  },
});
