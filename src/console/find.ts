/** The search field on top of each page: people and clients by parts of their names, grants by a pasted token, code or id. */
import { html } from 'ghtml';
import type { ClientItem } from './clients.ts';
import { link, section, table, withQuery } from './components.ts';
import { credentialIn } from './credential.ts';
import { type EndUser, endUserPage } from './end-user.ts';
import { explanationPage, grantPage } from './grants.ts';
import type { Answer, Page } from './management-api.ts';
import { isId } from './person.ts';
import { type Action, type Fields, goTo, page, problem, type Screen, type Shown, type Viewer } from './shown.ts';
import { code, name, shownText } from './shown-text.ts';

const PATH = '/console/find';
const MAX_CHARACTERS = 200;

/** A posted query. No credential gets into an address, which browsers and proxies keep. */
async function find(viewer: Viewer, fields: Fields): Promise<Shown> {
  const query = fields.get('q').trim();
  const credential = credentialIn(query);
  if (credential !== null) return explanationPage(viewer, credential);
  if (isId(query)) return byId(viewer, query.toLowerCase());
  return query.length > MAX_CHARACTERS ? TOO_LONG : goTo(withQuery(PATH, { q: query }));
}

const TOO_LONG = page(
  'Nothing was searched',
  html`<p class="warning">A query has at most ${String(MAX_CHARACTERS)} characters. A token or code of this server begins with <code>sh_rt_</code>, <code>sh_ac_</code> or <code>eyJ</code>: paste it whole.</p>`,
  { status: 400 },
);

/** The first subject that has the id. */
async function byId(viewer: Viewer, id: string): Promise<Shown> {
  const subjects = [
    { scope: 'grants:read', path: `/grants/${id}/transitions`, pageOf: () => grantPage(id) },
    { scope: 'users:read', path: `/users/${id}`, pageOf: () => endUserPage(id) },
    {
      scope: 'sessions:read',
      path: `/sessions/${id}`,
      pageOf: ({ sub = '' }: { readonly sub?: string }) => endUserPage(sub),
    },
  ];
  for (const { path, pageOf } of subjects.filter(({ scope }) => viewer.may(scope))) {
    const answer = await viewer.api.get<{ readonly sub?: string }>(path);
    if (answer.ok) return goTo(pageOf(answer.value));
    if (answer.problem.status !== 404) return problem(answer.problem);
  }
  return goTo(withQuery(PATH, { q: id }));
}

/** Where the server leads a browser that sent a token in an address. */
export const REFUSED_TOKEN = `${PATH}?refused=token`;

const TOKEN_IN_ADDRESS = page(
  'Nothing was searched',
  html`<p class="warning">A token or code was in the address of a page, where browsers and proxies keep it. The server removed it from the address. Paste tokens into the field on top alone, and end the chain of this one if others may have seen it.</p>`,
);

type Found<Item> = Answer<Page<Item>> | null;
const SHOWN = 10;

async function results(viewer: Viewer, query: Fields): Promise<Shown> {
  if (query.get('refused') === 'token') return TOKEN_IN_ADDRESS;
  const q = query.get('q').trim();
  if (q === '')
    return page(
      'Find',
      html`<p>Type a part of a name, an e-mail address, a username or a client id into the field on top. Or paste a token, a code or the id of a grant.</p>`,
    );
  const search = <Item>(scope: string, path: string): Promise<Found<Item>> =>
    viewer.may(scope) ? viewer.api.list<Item>(path, { q, limit: SHOWN }) : Promise.resolve(null);
  const [people, clients] = await Promise.all([
    search<EndUser>('users:read', '/users'),
    search<ClientItem>('clients:read', '/clients'),
  ]);
  return page(
    `Results for “${shownText(q, 60)}”`,
    html`!${section(
      viewer,
      { title: 'End-users', answer: people, all: withQuery('/console/end-users', { q }) },
      (items) =>
        table(
          'End-users by username',
          [
            {
              label: 'Username',
              cell: (person) => link(viewer, endUserPage(person.sub), person.username),
            },
            { label: 'Name', cell: ({ claims }) => name(textOf(claims['name'])) },
            { label: 'E-mail', cell: ({ claims }) => name(textOf(claims['email'])) },
            { label: 'State', cell: ({ disabled }) => (disabled ? html`<span class="badge bad">disabled</span>` : '') },
          ],
          items,
        ),
    )}
!${section(viewer, { title: 'Clients', answer: clients, all: withQuery('/console/clients', { q }) }, (items) =>
      table(
        'Clients by id',
        [
          {
            label: 'Client id',
            cell: (client) => link(viewer, withQuery('/console/client', { id: client.client_id }), client.client_id),
          },
          { label: 'Name', cell: (client) => name(client.client_name ?? '') },
          { label: 'Policy', cell: (client) => code(client.policy ?? '') },
        ],
        items,
      ),
    )}
<p class="quiet">A word of one or two letters is the beginning of a name, a longer one any part of it.</p>`,
  );
}

const textOf = (claim: unknown): string => (typeof claim === 'string' ? claim : '');

export const FIND_SCREENS: readonly Screen[] = [{ path: PATH, area: null, scope: null, show: results }];
export const FIND_ACTIONS: readonly Action[] = [{ path: PATH, area: null, scope: null, act: find }];
