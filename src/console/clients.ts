/** Clients: find, show, register, change, rotate secrets, delete. */
import { html } from 'ghtml';
import type { Markup } from '../http/views/page.ts';
import type { Document, Item } from '../management/client/documents.ts';
import {
  type ClientChoices,
  type ClientRecord,
  clientForm,
  type OfferedResource,
  patchIn,
  recordIn,
  valuesOf,
} from './client-form.ts';
import { type ClientKeys, keysOf } from './client-keys.ts';
import { CLIENT_KINDS, type ClientKind, kindIn } from './client-kinds.ts';
import { CLIENT_TRY_SCREENS, codeOf, demandedOf, redirectUrisOf } from './client-try.ts';
import {
  atLeast,
  button,
  doneWords,
  facts,
  filters,
  form,
  link,
  pager,
  plural,
  searchedWords,
  table,
  time,
  withQuery,
} from './components.ts';
import type { Problem } from './management-api.ts';
import { type Policy, policyOf } from './policy.ts';
import { type Action, all, type Fields, goTo, page, problem, type Screen, type Shown, type Viewer } from './shown.ts';
import { code, name, shownText } from './shown-text.ts';

export type ClientItem = ClientRecord & {
  readonly client_id: string;
  readonly declared: boolean;
  readonly registered_by: 'operator' | 'self';
};
type Secret = Item<'/clients/{client_id}/secrets'>;
type Consequences = Document<'GET', '/clients/{client_id}/consequences'>;

const resourceOf = (clientId: string, rest = ''): string => `/clients/${encodeURIComponent(clientId)}${rest}`;
const pageOf = (clientId: string, rest = '', done?: string): string =>
  withQuery(`/console/client${rest}`, { id: clientId, done });

const registeredBy = ({ declared, registered_by: by }: ClientItem): Markup =>
  html`${declared ? 'clients.yaml' : by === 'self' ? 'itself' : 'an operator'}`;

const REGISTERED_THROUGH = [
  ['', 'any way'],
  ['configuration', 'clients.yaml'],
  ['operator', 'an operator'],
  ['document', 'a document of the client'],
  ['registration', 'a registration by the client'],
] as const;

async function list(viewer: Viewer, query: Fields): Promise<Shown> {
  const sent = { q: query.get('q'), registered_through: query.get('registered_through'), cursor: query.get('cursor') };
  const answer = await viewer.api.list<ClientItem>('/clients', sent);
  if (!answer.ok) return problem(answer.problem);
  const { items, next } = answer.value;
  return page(
    'Clients',
    html`!${doneWords(query.get('done'))}
!${filters(viewer, '/console/clients', [
      { name: 'q', label: 'Part of the id or name', value: sent.q },
      {
        name: 'registered_through',
        label: 'Registered through',
        value: sent.registered_through,
        choices: REGISTERED_THROUGH,
      },
    ])}
!${viewer.may('clients:write') ? html`<p>!${button(viewer, '/console/client/new', 'Register a client')}</p>` : ''}
!${table(
      'Clients by id',
      [
        { label: 'Client id', cell: (client: ClientItem) => link(viewer, pageOf(client.client_id), client.client_id) },
        { label: 'Name', cell: (client) => name(client.client_name ?? '') },
        {
          label: 'Kind',
          cell: (client) => html`${client.token_endpoint_auth_method === 'none' ? 'public' : 'confidential'}`,
        },
        { label: 'Policy', cell: (client) => name(client.policy ?? '') },
        { label: 'Registered by', cell: registeredBy },
      ],
      items,
    )}
!${searchedWords(answer.value)}
!${pager(viewer, '/console/clients', sent, next)}`,
  );
}

async function show(viewer: Viewer, query: Fields): Promise<Shown> {
  const id = query.get('id');
  const read = await all({
    client: viewer.api.get<ClientItem>(resourceOf(id)),
    secrets: viewer.api.list<Secret>(resourceOf(id, '/secrets')),
    keys: viewer.api.get<ClientKeys>(resourceOf(id, '/keys')),
    consequences: viewer.api.get<Consequences>(resourceOf(id, '/consequences')),
  });
  if (!read.ok) return problem(read.problem);
  const { client, secrets, keys, consequences } = read.values;
  const policy = viewer.may('configuration:read')
    ? await viewer.api.get<Policy>(`/policies/${encodeURIComponent(client.policy ?? '')}`)
    : null;
  const mayChange = viewer.may('clients:write') && !client.declared;
  return page(
    client.client_name ?? id,
    html`!${doneWords(query.get('done'))}
!${facts([['Client id', code(client.client_id)], ...valuesOf(client), ['Registered by', registeredBy(client)]])}
!${client.declared ? html`<p class="warning">This client is declared in clients.yaml. Change it there, or remove it there to delete it.</p>` : ''}
!${!mayChange ? '' : html`<p class="row">!${button(viewer, pageOf(id, '/edit'), 'Change')} !${button(viewer, pageOf(id, '/delete'), 'Delete…', 'danger')}</p>`}
!${consequences.warnings.map((warning) => html`<p class="warning">${shownText(warning, 1000)}</p>`).join('\n')}
!${redirectUrisOf(client).length === 0 ? '' : html`<p class="row">!${link(viewer, withQuery('/console/client/try', { id }), 'Try a sign-in…')}</p>`}
<h2>Secrets</h2>
!${WITHOUT_SECRET[client.token_endpoint_auth_method ?? ''] ?? secretsOf(viewer, id, secrets.items, mayChange)}
!${keysOf(client, keys)}
!${policy?.ok ? html`<h2>Its policy in force</h2>!${policyOf(policy.value)}` : ''}
!${codeOf(viewer, id, client, await demandedOf(viewer, client))}
<h2>What it holds</h2>
!${aboveCeiling(consequences)}
<p class="row">!${viewer.may('grants:read') ? link(viewer, withQuery('/console/grants', { client_id: id, state: 'active' }), 'Its active grants') : ''}
!${viewer.may('ledger:read') ? link(viewer, withQuery('/console/ledger', { client_id: id }), 'Its ledger entries') : ''}</p>`,
  );
}

/** By the way in which it authenticates. */
const WITHOUT_SECRET: Readonly<Record<string, Markup>> = {
  none: html`<p>None: it is a public client, which cannot keep a secret.</p>`,
  private_key_jwt: html`<p>None: it signs with a key of its own, and this server has the public half alone.</p>`,
  tls_client_auth: html`<p>None: it connects with a TLS certificate of an authority that the server trusts.</p>`,
  self_signed_tls_client_auth: html`<p>None: it connects with a TLS certificate whose key the server knows.</p>`,
  workload_jwt: html`<p>None: its platform gives it a token, and this server knows the public keys of the platform.</p>`,
};

/** docs/decisions/0027. */
const aboveCeiling = ({ above_ceiling: above, exact }: Consequences): Markup =>
  above === 0
    ? ''
    : html`<p class="warning"><strong>${atLeast(exact)}${plural(above, 'active grant')}</strong> ${above === 1 ? 'was' : 'were'} given more scope than the client has now. Each refresh omits that scope. If you widen the scope of the client, the grants get it back.</p>`;

const narrowing = ({ living_grants: living, exact }: Consequences): Markup =>
  living === 0
    ? ''
    : html`<p class="warning">This client has <strong>${atLeast(exact)}${plural(living, 'active grant')}</strong>. The grants lose any scope that you remove here at their next refresh, and the server rejects a grant without any scope left. If you widen the scope again, the grants get back the scope that the end-users allowed, and no more.</p>`;

function secretsOf(viewer: Viewer, id: string, secrets: readonly Secret[], mayChange: boolean): Markup {
  const rotate =
    secrets.length >= 2
      ? html`<p class="quiet">Two secrets are active. When the client uses the new secret, remove the old one.</p>`
      : mayChange
        ? html`<p class="quiet">To rotate the secret, add a second one, give it to the client, and then remove the old one. The server accepts both until then.</p>
!${form(viewer, { action: '/console/client/secrets', label: 'Add a second secret', values: { id } })}`
        : '';
  return html`!${table(
    'Active secrets',
    [
      { label: 'Secret', cell: (secret: Secret) => code(secret.secret_id) },
      { label: 'Made', cell: (secret) => (secret.created_at ? time(secret.created_at) : html`at the registration`) },
      {
        label: 'Action',
        cell: (secret) =>
          mayChange && secrets.length > 1
            ? form(viewer, {
                action: '/console/client/secrets/remove',
                label: `Remove ${shownText(secret.secret_id, 12)}`,
                values: { id, secret: secret.secret_id },
                danger: true,
              })
            : '',
      },
    ],
    secrets,
  )}
!${rotate}`;
}

const NEW = '/console/client/new';

/** The first page of a registration. */
const kinds = (viewer: Viewer): Shown =>
  page(
    'Register a client',
    html`<p>Which kind of client? The next page has the right choices made; you can change each of them.</p>
<dl class="facts">!${Object.entries(CLIENT_KINDS)
      .map(
        ([kind, { title, words }]) => html`<dt>!${link(viewer, withQuery(NEW, { kind }), title)}</dt><dd>${words}</dd>`,
      )
      .join('')}</dl>
<p>!${link(viewer, withQuery(NEW, { kind: 'other' }), 'Another kind')}, with every field.</p>`,
  );

async function begin(viewer: Viewer, query: Fields): Promise<Shown> {
  const asked = query.get('kind');
  const kind = kindIn(asked);
  return kind === null && asked !== 'other' ? kinds(viewer) : registration(viewer, kind, null);
}

/** The choices of the configuration. None where the viewer may not read it: then the form keeps the values that it has. */
async function choicesFor(viewer: Viewer): Promise<ClientChoices> {
  const [policies, resources] = await Promise.all([
    viewer.api.list<Policy>('/policies'),
    viewer.api.list<OfferedResource>('/resources'),
  ]);
  return {
    policies: policies.ok ? policies.value.items.map(({ name: policy }) => policy) : [],
    resources: resources.ok ? resources.value.items : [],
  };
}

/** @param typed null: nothing yet. */
async function registration(
  viewer: Viewer,
  kind: ClientKind | null,
  typed: ClientRecord | null,
  problems: Markup = '',
): Promise<Shown> {
  const choices = await choicesFor(viewer);
  const preset = kind && CLIENT_KINDS[kind];
  const policy = preset && choices.policies.includes(preset.policy) ? { policy: preset.policy } : {};
  const record = typed ?? { ...preset?.record, ...policy };
  return page(
    preset ? `Register a client: ${preset.title.toLowerCase()}` : 'Register a client',
    html`!${problems}!${preset ? html`<p>${preset.words}</p>` : ''}
!${form(viewer, {
      action: NEW,
      label: 'Register',
      wide: true,
      values: { kind: kind ?? 'other' },
      body: clientForm(record, { isNew: true, choices, ...(preset && { redirects: preset.redirects }) }),
    })}
<p>!${link(viewer, NEW, 'Choose another kind')}</p>`,
    problems === '' ? {} : { status: 400 },
  );
}

async function register(viewer: Viewer, fields: Fields): Promise<Shown> {
  const record = recordIn(fields);
  const answer = await viewer.api.post<ClientItem & { readonly client_secret?: string }>(
    '/clients',
    record,
    fields.get('once'),
  );
  if (!answer.ok) {
    const { status } = answer.problem;
    return status === 400 || status === 409 || status === 422
      ? registration(viewer, kindIn(fields.get('kind')), record, problemsOf(answer.problem))
      : problem(answer.problem);
  }
  const { client_id: id, client_secret: secret } = answer.value;
  if (!secret) return goTo(pageOf(id, '', 'registered'));
  return secretPage(viewer, id, secret, 'Registered');
}

/** Shown once: the server does not keep it. */
const secretPage = (viewer: Viewer, id: string, secret: string, title: string): Shown =>
  page(
    title,
    html`<p class="done" role="status">The server shows the secret only once. Copy it now: the server keeps only a keyed hash.</p>
!${facts([
      ['Client id', code(id)],
      ['Secret', html`<code class="secret" id="secret">${secret}</code>`],
    ])}
<p>!${button(viewer, pageOf(id), 'I have copied it')}</p>`,
  );

/** The detail of the API refers to the list, which is here. */
const problemsOf = ({ title, detail, errors }: Problem): Markup =>
  errors.length === 0
    ? html`<div class="alert" role="alert"><p><strong>${title}.</strong> ${detail}</p></div>`
    : html`<div class="alert" role="alert"><p><strong>Nothing was changed.</strong> These fields are not as expected:</p>
<ul class="problems">!${errors.map(({ field, detail: words }) => html`<li><code>${shownText(field ?? '')}</code> ${shownText(words, 1000)}</li>`).join('')}</ul></div>`;

async function edit(viewer: Viewer, query: Fields): Promise<Shown> {
  const id = query.get('id');
  const [answer, consequences] = await Promise.all([
    viewer.api.get<ClientItem>(resourceOf(id)),
    viewer.api.get<Consequences>(resourceOf(id, '/consequences')),
  ]);
  if (!answer.ok) return problem(answer.problem);
  if (!consequences.ok) return problem(consequences.problem);
  return editing(viewer, id, answer.value, answer.etag ?? '', { warning: narrowing(consequences.value) });
}

async function editing(
  viewer: Viewer,
  id: string,
  record: ClientRecord,
  etag: string,
  { problems = '', warning = '' }: { readonly problems?: Markup; readonly warning?: Markup },
): Promise<Shown> {
  const choices = await choicesFor(viewer);
  return page(
    `Change ${shownText(record.client_name ?? id)}`,
    html`!${problems}
!${warning}
!${form(viewer, { action: '/console/client/edit', label: 'Save', wide: true, values: { id, etag }, body: clientForm(record, { isNew: false, choices }) })}
<p>!${link(viewer, pageOf(id), 'Change nothing')}</p>`,
    problems === '' ? {} : { status: 400 },
  );
}

async function change(viewer: Viewer, fields: Fields): Promise<Shown> {
  const id = fields.get('id');
  const answer = await viewer.api.patch<ClientItem>(resourceOf(id), patchIn(fields), fields.get('etag') || null);
  if (answer.ok) return goTo(pageOf(id, '', 'changed'));
  const { status } = answer.problem;
  return status === 400 || status === 422
    ? editing(viewer, id, { ...recordIn(fields), client_id: id }, fields.get('etag'), {
        problems: problemsOf(answer.problem),
      })
    : problem(answer.problem);
}

async function addSecret(viewer: Viewer, fields: Fields): Promise<Shown> {
  const id = fields.get('id');
  const answer = await viewer.api.post<{ readonly client_secret: string }>(
    resourceOf(id, '/secrets'),
    {},
    fields.get('once'),
  );
  return answer.ok ? secretPage(viewer, id, answer.value.client_secret, 'A second secret') : problem(answer.problem);
}

async function removeSecret(viewer: Viewer, fields: Fields): Promise<Shown> {
  const [id, secret] = [fields.get('id'), fields.get('secret')];
  const answer = await viewer.api.remove(resourceOf(id, `/secrets/${encodeURIComponent(secret)}`));
  return answer.ok ? goTo(pageOf(id, '', 'secret-removed')) : problem(answer.problem);
}

async function confirmDeletion(viewer: Viewer, query: Fields): Promise<Shown> {
  const id = query.get('id');
  const [client, consequences] = await Promise.all([
    viewer.api.get<ClientItem>(resourceOf(id)),
    viewer.api.get<Consequences>(resourceOf(id, '/consequences')),
  ]);
  if (!client.ok) return problem(client.problem);
  if (!consequences.ok) return problem(consequences.problem);
  const { living_grants: grants, end_users: users, exact } = consequences.value;
  return page(
    `Delete ${shownText(client.value.client_name ?? id)}?`,
    html`<p class="warning">This ends <strong>${atLeast(exact)}${plural(grants, 'chain')} of ${plural(users, 'end-user')}</strong>, immediately and for good. Registering <code>${shownText(id)}</code> again revives none of them.</p>
!${form(viewer, { action: '/console/client/delete', label: 'Delete the client', danger: true, values: { id, etag: client.etag ?? '' } })}
<p>!${link(viewer, pageOf(id), 'Keep it')}</p>`,
  );
}

async function remove(viewer: Viewer, fields: Fields): Promise<Shown> {
  const answer = await viewer.api.remove(resourceOf(fields.get('id')), fields.get('etag') || null);
  return answer.ok ? goTo('/console/clients?done=deleted') : problem(answer.problem);
}

const area = 'clients';

export const CLIENT_SCREENS: readonly Screen[] = [
  { path: '/console/clients', area, scope: 'clients:read', show: list },
  { path: '/console/client', area, scope: 'clients:read', show },
  { path: NEW, area, scope: 'clients:write', show: begin },
  ...CLIENT_TRY_SCREENS,
  { path: '/console/client/edit', area, scope: 'clients:write', show: edit },
  { path: '/console/client/delete', area, scope: 'clients:write', show: confirmDeletion, needsRecentSignIn: true },
];

export const CLIENT_ACTIONS: readonly Action[] = [
  { path: '/console/client/new', area, scope: 'clients:write', act: register },
  { path: '/console/client/edit', area, scope: 'clients:write', act: change },
  {
    path: '/console/client/secrets',
    area,
    scope: 'clients:write',
    act: addSecret,
    recentSignInFor: (form) => withQuery('/console/client', { id: form.get('id') }),
  },
  {
    path: '/console/client/secrets/remove',
    area,
    scope: 'clients:write',
    act: removeSecret,
    recentSignInFor: (form) => withQuery('/console/client', { id: form.get('id') }),
  },
  {
    path: '/console/client/delete',
    area,
    scope: 'clients:write',
    act: remove,
    recentSignInFor: (form) => withQuery('/console/client/delete', { id: form.get('id') }),
  },
];
