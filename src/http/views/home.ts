import { html } from 'ghtml';
import type { Look } from '../look.ts';
import { emphasised, filled } from './filled.ts';
import { type Markup, page } from './page.ts';

export type HomeView = {
  readonly issuer: string;
  readonly account: string;
  readonly metadata: string;
  readonly demo: {
    readonly username: string;
    readonly password: string;
    readonly playground: string;
    readonly console: string;
  } | null;
  /** For visitors who try the server, or develop with it. */
  readonly withGuides: boolean;
};

export function homePage(look: Look, { issuer, account, metadata, demo, withGuides }: HomeView): string {
  const words = look.words.home;
  const { organization } = look.brand;
  const name = organization ?? 'Statehouse';
  return page(
    // The title is its name already.
    { ...look, brand: { ...look.brand, organization: null } },
    name,
    html`<h1>${name}</h1>
<p>!${organization === null ? html`${words.whatThisIs}` : emphasised(words.whoseThisIs, { organization })} ${words.nothingToDo}</p>
!${demo === null ? '' : tryIt(look, demo)}
<h2>${words.account}</h2>
<p><a href="${account}">${words.accountSays}</a></p>
<h2>${words.developers}</h2>
<p>!${emphasised(words.server, { issuer })} ${words.metadataSays} <a href="${metadata}">${words.metadata}</a>.</p>
!${withGuides ? guides(look) : ''}`,
  );
}

const code = (text: string): Markup => html`<code>${text}</code>`;

const tryIt = (
  { words: { home } }: Look,
  { username, password, playground, console }: NonNullable<HomeView['demo']>,
): Markup => html`<h2>${home.tryIt}</h2>
<p><a class="button" href="${playground}">${home.playground}</a></p>
<p>!${filled(home.signInThere, { username: code(username), password: code(password) })}</p>
<p>${home.operatorToo} <a href="${console}">${home.console}</a>.</p>
`;

const GUIDES = ['README.md', 'docs/connecting-a-client.md', 'docs/protecting-an-api.md', 'docs/deploying.md'];

function guides({ words: { home }, locale }: Look): Markup {
  const files = new Intl.ListFormat(locale).formatToParts(GUIDES);
  const listed = files.map(({ type, value }) => (type === 'element' ? code(value) : html`${value}`)).join('');
  return html`<p>!${filled(home.guides, { files: listed })}</p>`;
}
