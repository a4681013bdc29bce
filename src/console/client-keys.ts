/** The public keys of a client. */
import { html } from 'ghtml';
import type { Markup } from '../http/views/page.ts';
import type { Document } from '../management/client/documents.ts';
import { WORKLOAD_METHOD } from '../oauth/client-methods.ts';
import type { ClientRecord } from './client-form.ts';
import { table, time } from './components.ts';
import { code, shownText } from './shown-text.ts';

export type ClientKeys = Document<'GET', '/clients/{client_id}/keys'>;

/** By the node that answers: each node fetches the keys for itself. */
export function keysOf(
  { jwks, jwks_uri: uri, token_endpoint_auth_method: method }: ClientRecord,
  { keys, fetched_at, tried_at, problem }: ClientKeys,
): Markup {
  if (jwks === undefined && uri === undefined) return '';
  const fetched = fetched_at === null ? html`Never by this node.` : html`This node fetched them !${time(fetched_at)}.`;
  return html`<h2>Public keys${method === WORKLOAD_METHOD ? ' of its platform' : ''}</h2>
!${uri === undefined ? '' : html`<p>!${fetched} It fetches them when the client authenticates.</p>`}
!${problem === null || tried_at === null ? '' : html`<p class="warning">The fetch !${time(tried_at)} failed: ${shownText(problem, 300)}</p>`}
!${
    keys.length === 0
      ? ''
      : table(
          'The keys that count now',
          [
            {
              label: 'Key',
              cell: ({ kid }: ClientKeys['keys'][number]) => (kid === undefined ? html`without a kid` : code(kid)),
            },
            { label: 'Type', cell: ({ kty, crv }) => html`${[kty, crv].filter(Boolean).join(' ')}` },
            { label: 'Algorithm', cell: ({ alg }) => html`${alg ?? 'any for this type'}` },
          ],
          keys,
        )
  }`;
}
