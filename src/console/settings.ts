/** The configuration in force, each entry with its meaning and its place in the files. Changes go into the files. */
import { html } from 'ghtml';
import type { Markup } from '../http/views/page.ts';
import type { Item } from '../management/client/documents.ts';
import { type Column, link, table, withQuery } from './components.ts';
import { page, problem, type Screen, type Shown, type Viewer } from './shown.ts';
import { code, shownText } from './shown-text.ts';

type Setting = Item<'/settings'>;

const whereOf = ({ where }: Pick<Setting, 'where'>): Markup =>
  where === null
    ? html`part of the server`
    : html`!${code(where.file)}${where.line === null ? ', not in the file' : `, line ${where.line}`} <span class="quiet">${shownText(where.key)}</span>`;

const listed = (setting: Setting, member: string): Markup =>
  (setting.values[member] ?? []).map((value) => code(value)).join(' ');

const WHERE: Column<Setting> = { label: 'Where it stands', cell: whereOf };

type Section = {
  readonly about: string;
  readonly caption: string;
  readonly columns: (viewer: Viewer) => readonly Column<Setting>[];
};
type Page = { readonly title: string; readonly words: string; readonly sections: readonly Section[] };

const words = ({ name, description }: Setting): Markup =>
  description === null ? code(name) : html`${shownText(description, 300)} <span class="quiet">!${code(name)}</span>`;

/** Of branding.yaml and signing-keys.yaml, in words. */
const KEYS: Readonly<Record<string, string>> = {
  organization: 'Name of the organisation',
  logo: 'Logo',
  wordmark: 'Image in place of logo and name',
  mailLogo: 'Logo in mails',
  favicon: 'Icon of the browser tab',
  font: 'Font',
  cornerRadius: 'Corners, in pixels',
  background: 'Background, light and dark',
  accentColor: 'Buttons and links, light and dark',
  links: 'Links at the end of pages',
  footer: 'Text at the end of pages',
  algorithms: 'Signature algorithms',
  publishedBeforeSigningSeconds: 'Published before it signs, in seconds',
  signingLifetimeSeconds: 'A key signs for, in seconds',
  jwksMaxAgeSeconds: 'APIs keep the published keys for, in seconds',
};

const keyed = (caption: string, about: string): Section => ({
  about,
  caption,
  columns: () => [
    { label: 'Setting', cell: ({ name }) => html`${KEYS[name] ?? ''} <span class="quiet">!${code(name)}</span>` },
    { label: 'Value', cell: (setting) => listed(setting, 'value') || html`as shipped` },
    WHERE,
  ],
});

const person = (about: string, caption: string): Section => ({
  about,
  caption,
  columns: (viewer) => [
    { label: 'Username', cell: ({ name }) => link(viewer, withQuery('/console/end-users', { q: name }), name) },
    WHERE,
  ],
});

const PAGES: Readonly<Record<string, Page>> = {
  resources: {
    title: 'Resources',
    words: 'The APIs that access tokens are for. The identifier is the audience (aud) of their tokens.',
    sections: [
      {
        about: 'resource',
        caption: 'APIs',
        columns: () => [
          { label: 'API', cell: words },
          { label: 'Scopes', cell: (setting) => listed(setting, 'scopes') },
          { label: 'Signature', cell: (setting) => listed(setting, 'access_token_signing_algorithm') },
          { label: 'Default', cell: ({ values }) => html`${values['default']?.[0] === 'true' ? 'yes' : ''}` },
          WHERE,
        ],
      },
    ],
  },
  scopes: {
    title: 'Scopes',
    words: 'The scopes that clients may request. The consent page shows the words after "wants to".',
    sections: [
      {
        about: 'scope',
        caption: 'Scopes',
        columns: () => [
          { label: 'Scope', cell: words },
          { label: 'Of the API', cell: (setting) => listed(setting, 'resource') },
          { label: 'Releases the claims', cell: (setting) => listed(setting, 'claims') },
          WHERE,
        ],
      },
    ],
  },
  claims: {
    title: 'Claims',
    words:
      'Facts about end-users, besides the standard claims of profile, email, address and phone. A scope releases each of them.',
    sections: [
      {
        about: 'claim',
        caption: 'Released claims',
        columns: () => [
          { label: 'Claim', cell: words },
          { label: 'With the scope', cell: (setting) => listed(setting, 'scope') },
          { label: 'In', cell: (setting) => listed(setting, 'in') },
          WHERE,
        ],
      },
      {
        about: 'editable_claim',
        caption: 'Claims that end-users edit',
        columns: () => [
          { label: 'Claim', cell: words },
          { label: 'Choices', cell: (setting) => listed(setting, 'choices') || html`any text` },
          WHERE,
        ],
      },
    ],
  },
  branding: {
    title: 'Branding',
    words: 'The look of the pages that end-users see.',
    sections: [keyed('Branding', 'branding')],
  },
  operators: {
    title: 'Operators',
    words:
      'Operators may do everything. Auditors see everything and change nothing. The server asks for the role at each request.',
    sections: [
      person('operator', 'Operators'),
      person('auditor', 'Auditors'),
      {
        about: 'client',
        caption: 'Clients that administer without an end-user',
        columns: (viewer) => [
          { label: 'Client', cell: ({ name }) => link(viewer, withQuery('/console/client', { id: name }), name) },
          { label: 'Scopes', cell: (setting) => listed(setting, 'scope') },
          WHERE,
        ],
      },
    ],
  },
  'signing-keys': {
    title: 'Rotation of keys',
    words: 'How long signing keys live.',
    sections: [keyed('Rotation of keys', 'signing_keys')],
  },
};

const pathOf = (last: string): string => `/console/configuration/${last}`;

/** For the page of the configuration. */
export const settingLinks = (viewer: Viewer): Markup =>
  html`<ul>!${Object.entries(PAGES)
    .map(
      ([last, { title, words: meaning }]) =>
        html`<li>!${link(viewer, pathOf(last), title)}: <span class="quiet">${meaning}</span></li>`,
    )
    .join('')}</ul>`;

async function show(viewer: Viewer, { title, words: meaning, sections }: Page): Promise<Shown> {
  const answers = await Promise.all(sections.map(({ about }) => viewer.api.list<Setting>('/settings', { about })));
  const tables: Markup[] = [];
  for (const [place, answer] of answers.entries()) {
    if (!answer.ok) return problem(answer.problem);
    const section = sections[place];
    if (section) tables.push(table(section.caption, section.columns(viewer), answer.value.items));
  }
  return page(
    title,
    html`<p>${meaning}</p>
!${tables.join('\n')}
<p class="quiet">The files are the place to change it. The server reads them again when they change.</p>
<p>!${link(viewer, '/console/configuration', 'Configuration')}</p>`,
  );
}

export const SETTING_SCREENS: readonly Screen[] = Object.entries(PAGES).map(([last, one]) => ({
  path: pathOf(last),
  area: 'configuration',
  scope: 'configuration:read',
  show: (viewer) => show(viewer, one),
}));
