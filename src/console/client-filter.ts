/** Users know the names of clients, and the API needs an id. */
import type { Answer, Page, Problem } from './management-api.ts';
import type { Fields, Viewer } from './shown.ts';

type Found = { readonly kind: 'found'; readonly id: string } | { readonly kind: 'problem'; readonly problem: Problem };

/**
 * @returns the id as typed where there is no other: of a deleted client, too, or for a user who sees no clients. An empty id where the
 * query names no client.
 */
export async function clientIn(viewer: Viewer, query: Fields): Promise<Found> {
  const typed = query.get('client_id').trim();
  if (typed === '' || !viewer.may('clients:read')) return { kind: 'found', id: typed };
  const exact = await viewer.api.get(`/clients/${encodeURIComponent(typed)}`);
  if (exact.ok) return { kind: 'found', id: typed };
  const answer: Answer<Page<{ readonly client_id: string }>> = await viewer.api.list('/clients', {
    q: typed,
    limit: 2,
  });
  const [client, another] = answer.ok ? answer.value.items : [];
  if (client === undefined) return { kind: 'found', id: typed };
  return another === undefined ? { kind: 'found', id: client.client_id } : { kind: 'problem', problem: SEVERAL };
}

const SEVERAL: Problem = {
  status: 400,
  reason: 'several_clients',
  title: 'Several clients match',
  detail: 'Type the client id, or more of the name. The field on top lists the clients.',
  errors: [],
  missingScope: null,
};
