/**
 * The document of a client whose `client_id` is a URL. Its lifecycle sends `registrationRequested` to the client, so that a document and the
 * client that it describes are one commit.
 */
import type {
  ClientDocumentContext,
  ClientDocumentEvent,
  ClientDocumentRejectReason,
} from '../../../machines/client-document/facts.ts';
import { clientDocumentMachine } from '../../../machines/client-document/machine.ts';
import type { Commit, CommitStore } from '../../engine/commit.ts';
import { effectOf } from '../../engine/decide.ts';
import { InvariantViolation } from '../../engine/errors.ts';
import type { Lifecycle } from '../../engine/lifecycle.ts';
import { type Request, run, type Sleeping } from '../../engine/run.ts';
import { rejectionIn } from '../../engine/step.ts';
import { provesKey } from '../../model/client.ts';
import { type BesideFacts, byItself, clientBeside, commitBeside } from '../client/beside.ts';
import { type ClientRow, registrationBy, type SentRegistration } from '../client/lifecycle.ts';
import { CLIENT_DOCUMENTS, type ClientDocument } from './entity.ts';

/** Null: nothing is stored. */
export type ClientDocumentRow = ClientRow & { readonly document: ClientDocument | null };

export type LoadedClientDocument = ClientDocumentRow & BesideFacts & { readonly othersStored: number };

/** The rules of this server about documents. */
export type DocumentRules = {
  readonly originIsAllowed: boolean;
  /** The policy that a client with a document gets. */
  readonly policy: string;
  readonly mostStored: number;
};

/** The result of a fetch. */
export type Fetched =
  | { readonly kind: 'described'; readonly registration: SentRegistration; readonly freshSeconds: number }
  | { readonly kind: 'unreachable' | 'malformed'; readonly problem: string };

type ClientDocumentFacts = DocumentRules &
  BesideFacts & {
    readonly othersStored: number;
    /** A failed fetch that this node remembers, of a document that is not stored. */
    readonly failedAt: Date | null;
    /** Null: no fetch was made. */
    readonly fetched: Fetched | null;
  };

export type ClientDocumentStore = {
  readonly load: (clientId: string) => Promise<LoadedClientDocument>;
  readonly commit: CommitStore;
};

const time = (instant: Date | null | undefined): number | null => instant?.getTime() ?? null;

const clientOf = clientBeside<ClientDocumentRow>();

export const clientDocumentLifecycle: Lifecycle<ClientDocumentRow, ClientDocumentFacts, Commit> = {
  machine: clientDocumentMachine,
  stateOf: ({ document }) => document?.state ?? 'unseen',
  contextOf: (
    { document, client },
    { failedAt, originIsAllowed, policy, othersStored, mostStored },
  ): ClientDocumentContext => ({
    originIsAllowed,
    isVetted: client !== null && client.deletedAt === null && client.registeredBy === 'operator',
    isDeleted: client !== null && client.deletedAt !== null,
    hasKey: client !== null && provesKey(client),
    fetchedAt: time(document?.fetchedAt),
    // A client takes a new policy from the rules with its document.
    freshUntil: client?.policy === policy ? time(document?.freshUntil) : null,
    failedAt: time(document === null ? failedAt : document.failedAt),
    othersStored,
    mostStored,
  }),
  answers: {
    named: ['fetchDocument', 'useClient', 'reject'],
    described: ['keepDocument', 'useClient', 'reject'],
    unreachable: ['useClient', 'reject'],
    malformed: ['reject'],
  },
  changes: {
    keepDocument: (row, { now, fetched }) => {
      if (fetched?.kind !== 'described') throw new InvariantViolation('clientDocument: nothing was described');
      const freshUntil = new Date(now.getTime() + fetched.freshSeconds * 1000);
      const { clientId } = row;
      const document = { clientId, state: 'known', fetchedAt: now, freshUntil, failedAt: null, problem: null } as const;
      return { ...row, document };
    },
    markStale: (row, facts) => failed(row, facts, 'stale'),
    refuseDocument: (row, facts) => failed(row, facts, 'refused'),
  },
  sends: {
    describeClient: (row, { now, version, fetched }) => {
      if (fetched?.kind !== 'described') throw new InvariantViolation('clientDocument: nothing was described');
      const { clientId, client } = row;
      const { facts, event } = registrationBy(byItself(clientId), { clientId, client }, fetched.registration);
      return { lifecycle: clientOf, facts: { now, version, ...facts }, event };
    },
  },
  // The state, and each change of the client, are in the ledger. The times of fetches are not.
  notAudited: ['keepDocument', 'markStale', 'refuseDocument'],
  ledgerFacts: ({ clientId }) => ({ clientId }),
  violation: ({ before, after }) =>
    before.client !== null && after.client?.epoch !== before.client.epoch
      ? 'a document ended grants of its client'
      : null,
  commitOf: ({ before, after }, facts, entries) =>
    commitBeside(
      { before, after },
      {
        table: CLIENT_DOCUMENTS,
        before: before.document,
        after: after.document,
        asLoaded: ['state', 'fetchedAt'],
        mostStored: facts.mostStored,
        fewEnough: 'few enough documents are stored',
      },
      facts,
      entries,
    ),
};

function failed(
  row: ClientDocumentRow,
  { now, fetched }: ClientDocumentFacts,
  state: ClientDocument['state'],
): ClientDocumentRow {
  if (row.document === null || fetched === null)
    throw new InvariantViolation('clientDocument: no fetch of a stored document has failed');
  const problem = fetched.kind === 'described' ? AUTHENTICATION_DROPPED : fetched.problem;
  return { ...row, document: { ...row.document, state, failedAt: now, problem } };
}

/** The rule that only the client before shows to be broken. */
export const AUTHENTICATION_DROPPED = 'authentication_dropped';

// Requests.

export type DocumentAnswer =
  /** The request continues with the client as it is registered. */
  | { readonly kind: 'usable' }
  /** `isNew`: the document is not stored. */
  | { readonly kind: 'fetch'; readonly isNew: boolean }
  | {
      readonly kind: 'rejected';
      readonly reason: ClientDocumentRejectReason;
      /** The rule that the last fetch broke. Null: none is known. */
      readonly problem: string | null;
    };

type DocumentRequest = Request<LoadedClientDocument, ClientDocumentRow, ClientDocumentFacts, Commit, DocumentAnswer>;

/** A failed fetch that a node remembers, of a document that is not stored. */
export type RememberedFailure = { readonly at: Date; readonly problem: string };

const rowOf = ({ clientId, document, client }: LoadedClientDocument): ClientDocumentRow => ({
  clientId,
  document,
  client,
});

/** @param failureAt by the clock of the database. */
export const nameDocument = (
  rules: DocumentRules,
  failureAt: (now: Date) => RememberedFailure | null,
): DocumentRequest => ({
  lifecycle: clientDocumentLifecycle,
  read: (loaded) => {
    const { now, version, othersStored } = loaded;
    const event: ClientDocumentEvent = { type: 'named', now: now.getTime() };
    const facts = { ...rules, now, version, othersStored, failedAt: failureAt(now)?.at ?? null, fetched: null };
    return { row: rowOf(loaded), facts, event };
  },
  answer: (step, { now }) => {
    const rejected = rejectionIn<ClientDocumentRejectReason>(step);
    if (rejected) return { ...rejected, problem: step.after.document?.problem ?? failureAt(now)?.problem ?? null };
    const [decision] = step.decisions;
    return decision && effectOf(decision, 'fetchDocument')
      ? { kind: 'fetch', isNew: step.after.document === null }
      : { kind: 'usable' };
  },
});

export const fetchedDocument = (rules: DocumentRules, fetched: Fetched): DocumentRequest => ({
  lifecycle: clientDocumentLifecycle,
  read: (loaded) => {
    const { now, version, othersStored } = loaded;
    const facts = { ...rules, now, version, othersStored, failedAt: null, fetched };
    return { row: rowOf(loaded), facts, event: eventOf(fetched, now) };
  },
  answer: (step) => {
    const rejected = rejectionIn<ClientDocumentRejectReason>(step);
    if (rejected === null) return { kind: 'usable' };
    return { ...rejected, problem: fetched.kind === 'described' ? null : fetched.problem };
  },
});

function eventOf(fetched: Fetched, now: Date): ClientDocumentEvent {
  const { kind } = fetched;
  if (kind === 'described') return { type: kind, hasKey: provesKey(fetched.registration) };
  return kind === 'unreachable' ? { type: kind, now: now.getTime() } : { type: kind };
}

export type ClientDocumentPorts = Sleeping & { readonly clientDocuments: ClientDocumentStore };

/** @throws Unavailable */
export const askClientDocument = (
  { clientDocuments, sleep }: ClientDocumentPorts,
  clientId: string,
  request: DocumentRequest,
): Promise<DocumentAnswer> =>
  run({ load: () => clientDocuments.load(clientId), commit: clientDocuments.commit, sleep }, request);
