/**
 * A client whose `client_id` is the URL of a document about it. Called before an authorization request is checked, and before a pushed one:
 * afterwards its client is a row like any other. The machine decides whether the document counts, and whether it has to be fetched.
 */
import type { ClientDocumentRejectReason } from '../../machines/client-document/facts.ts';
import type { Configuration } from '../config/configuration.ts';
import {
  askClientDocument,
  type ClientDocumentPorts,
  type DocumentAnswer,
  type DocumentRules,
  fetchedDocument,
  nameDocument,
} from '../lifecycles/client-document/lifecycle.ts';
import { firstWaitOf, waitOf } from '../model/networks.ts';
import { isMeantAsUrl, originOf, whatIsWrongWithClientIdUrl } from '../oauth/client-id-url.ts';
import type { RateLimit, RequestCounter } from '../system/rate-limit.ts';
import type { ClientDocumentFetches } from './client-document-fetches.ts';

export type DescribedClientDeps = ClientDocumentPorts & {
  readonly configuration: () => Configuration;
  readonly documentFetches: ClientDocumentFetches;
  /** Of fetches that an address causes. */
  readonly documentRates: RateLimit;
  /** Of documents that are not stored, by address and hour. */
  readonly newDocumentCounts: Pick<RequestCounter, 'count'>;
};

/** For a page, and never a redirect: nothing about the client is known. */
export type DocumentRefused = {
  readonly kind: 'documentRefused';
  readonly clientId: string;
  readonly reason: ClientDocumentRejectReason | 'client_id_url_malformed' | 'client_documents_off' | 'too_many_fetches';
  /** For the developer of the client: the rule that the document or its URL breaks. Nothing of the document is in it. */
  readonly problem: string | null;
};

/** For the client that pushes its request, where no rule says more. */
export const DOCUMENT_REFUSED: Readonly<Record<DocumentRefused['reason'], string>> = {
  document_client_deleted: 'an administrator deleted the client',
  document_origin_refused: 'this server accepts no documents of this origin',
  document_failed_before: 'a fetch of the document has just failed',
  document_unreachable: 'the document cannot be fetched',
  document_malformed: 'the document breaks a rule',
  document_drops_key: 'the document has no key any more, and the client had one',
  too_many_client_documents: 'this server accepts no further documents',
  client_id_url_malformed: 'the client_id is not the URL of a document',
  client_documents_off: 'this server accepts no documents of clients',
  too_many_fetches: 'too many documents were fetched for this address',
};

/** One in two seconds: an end-user meets no more clients, and a visitor who names URLs gets no more fetches. */
const FETCHES_PER_SECOND = 0.5;
/** One visitor must not fill the table, which keeps a document for 26 hours: 1560 of 10,000. */
const NEW_DOCUMENTS_PER_HOUR = 60;

/** @returns seconds until the address may cause the fetch. Null: now. */
function waitFor({ documentRates, newDocumentCounts }: DescribedClientDeps, address: string, isNew: boolean) {
  const wait = firstWaitOf(address, (key, times) => documentRates.count(key, FETCHES_PER_SECOND * times));
  if (wait !== null || !isNew) return wait;
  return firstWaitOf(address, (key, times) => waitOf(newDocumentCounts.count(key, NEW_DOCUMENTS_PER_HOUR * times)));
}

/** @param address the throttle key of the sender. @returns null: the request continues. @throws Unavailable, StoreUnavailable */
export async function describeClient(
  deps: DescribedClientDeps,
  clientId: string | null,
  address: () => string,
): Promise<DocumentRefused | null> {
  if (clientId === null || !isMeantAsUrl(clientId)) return null;
  const refused = (reason: DocumentRefused['reason'], problem: string | null): DocumentRefused => ({
    kind: 'documentRefused',
    clientId,
    reason,
    problem,
  });
  const { metadataDocuments } = deps.configuration().registration;
  const wrong = whatIsWrongWithClientIdUrl(clientId);
  if (metadataDocuments === undefined || wrong !== null) {
    const { client } = await deps.clientDocuments.load(clientId);
    if (client?.registeredBy === 'operator') return null;
    if (metadataDocuments !== undefined) return refused('client_id_url_malformed', wrong);
    // An unknown client is answered as any other.
    return client === null ? null : refused('client_documents_off', null);
  }
  const { origins, policy, maxDocuments } = metadataDocuments;
  const rules: DocumentRules = {
    originIsAllowed: origins === 'any' || origins.includes(originOf(clientId)),
    policy,
    mostStored: maxDocuments,
  };
  const orRefused = (answer: DocumentAnswer) =>
    answer.kind === 'rejected' ? refused(answer.reason, answer.problem) : null;
  const answer = await askClientDocument(
    deps,
    clientId,
    nameDocument(rules, (now) => deps.documentFetches.failureOf(clientId, now)),
  );
  if (answer.kind !== 'fetch') return orRefused(answer);
  if (waitFor(deps, address(), answer.isNew) !== null) return refused('too_many_fetches', null);
  const fetched = await deps.documentFetches.fetch(clientId, metadataDocuments);
  return orRefused(await askClientDocument(deps, clientId, fetchedDocument(rules, fetched)));
}
