import { html } from 'ghtml';
import { type Markup, page } from './page.ts';

export type HomeView = {
  readonly issuer: string;
  readonly permissions: string;
  readonly metadata: string;
  readonly demo: { readonly username: string; readonly password: string; readonly playground: string } | null;
  /** For people who try it out or develop with it. */
  readonly withGuides: boolean;
};

export const homePage = ({ issuer, permissions, metadata, demo, withGuides }: HomeView): string =>
  page(
    'Statehouse',
    html`<h1>Statehouse</h1>
<p>This is the authorization server <strong>${issuer}</strong>. Apps send people here to sign in, and to decide what an app may do.</p>
!${demo === null ? '' : tryIt(demo)}
<h2>Your account</h2>
<p><a href="${permissions}">What you have allowed, and where you are signed in</a></p>
!${withGuides ? guides(metadata) : ''}`,
  );

const tryIt = ({ username, password, playground }: NonNullable<HomeView['demo']>): Markup => html`<h2>Try it</h2>
<p><a class="button" href="${playground}">Open the playground</a></p>
<p>Sign in there as <code>${username}</code> with the password <code>${password}</code>. This is a demo end-user, who exists only on the embedded database of this machine.</p>
`;

const guides = (metadata: string): Markup => html`<h2>For developers</h2>
<p>The guides are in the folder of Statehouse: <code>README.md</code>, <code>docs/connecting-a-client.md</code>, <code>docs/protecting-an-api.md</code> and <code>docs/deploying.md</code>.</p>
<p>Client libraries find everything in <a href="${metadata}">the metadata of this server</a>.</p>
`;
