import { html } from 'ghtml';
import { type Markup, page } from '../views/page.ts';
import { diagram, type Lit } from './diagram.ts';
import type { Exchange } from './walk.ts';

export type Action = { readonly path: string; readonly label: string; readonly danger?: boolean };

export type PlaygroundView = {
  readonly title: string;
  readonly words: readonly string[];
  /** Parameters with their values. */
  readonly shown: readonly { readonly name: string; readonly value: string; readonly note?: string }[];
  readonly link: { readonly href: string; readonly label: string } | null;
  readonly actions: readonly Action[];
  readonly code: Lit;
  readonly tokens: readonly { readonly token: string; readonly state: Lit }[];
  readonly exchange: Exchange | null;
  readonly accessToken: Decoded | null;
  readonly idToken: Decoded | null;
};

export type Decoded = { readonly header: unknown; readonly claims: unknown };

export function playgroundPage(view: PlaygroundView): string {
  const { title, words, shown, link, actions, exchange, accessToken, idToken } = view;
  return page(
    title,
    html`<h1>${title}</h1>
<div class="columns">
<section>
!${words.map((paragraph) => html`<p>${paragraph}</p>`).join('')}
!${definitions(shown)}
!${actions.map(button).join('')}
!${link ? html`<p><a class="button" href="${link.href}">${link.label}</a></p>` : ''}
!${exchange ? exchanged(exchange) : ''}
!${accessToken ? html`<h2>The access token, decoded</h2>!${json(accessToken.header)}!${json(accessToken.claims)}` : ''}
!${idToken ? html`<h2>The ID Token, decoded</h2>!${json(idToken.header)}!${json(idToken.claims)}` : ''}
</section>
<section aria-label="State">
!${states(view)}
</section>
</div>`,
    { wide: true },
  );
}

function definitions(shown: PlaygroundView['shown']): Markup {
  if (shown.length === 0) return '';
  const rows = shown.map(
    ({ name, value, note }) =>
      html`<dt>${name}</dt><dd><code>${value}</code>!${note ? html` <span class="quiet">${note}</span>` : ''}</dd>`,
  );
  return html`<dl>!${rows.join('')}</dl>`;
}

const button = ({ path, label, danger }: Action): Markup =>
  html`<form method="post" action="${path}" class="action"><button type="submit" class="${danger ? 'danger' : 'first'}">${label}</button></form>`;

function exchanged({ sent, status, answer }: Exchange): Markup {
  const body = Object.entries(sent)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n&');
  const good = status === 200 ? 'good' : 'bad';
  return html`<h2>Sent: POST /oauth/token</h2><pre>${body}</pre><h2>Answered: <span class="${good}">${String(status)}</span></h2>!${json(answer)}`;
}

const json = (value: unknown): Markup => html`<pre>${JSON.stringify(value, null, 2)}</pre>`;

function states({ code, tokens }: PlaygroundView): Markup {
  const newest = tokens.at(-1);
  const shownToken = tokens.findLast(({ state }) => state !== 'active') ?? newest;
  const list = tokens.map(
    ({ token, state }, index) =>
      html`<li><code>${short(token)}</code> <strong class="${state === 'active' ? 'good' : 'bad'}">${state ?? ''}</strong>!${index === tokens.length - 1 ? html` <span class="quiet">newest</span>` : ''}</li>`,
  );
  return html`!${diagram({ title: 'Authorization code', lit: code, arrows: ['exchanged', 'used again'] })}
!${diagram({ title: 'Newest refresh token', lit: newest?.state ?? null, arrows: ['rotated', 'used again'] })}
!${shownToken && shownToken !== newest ? diagram({ title: 'The one before', lit: shownToken.state, arrows: ['rotated', 'used again'] }) : ''}
!${tokens.length > 0 ? html`<h2>The chain</h2><ol class="chain">!${list.join('')}</ol>` : ''}`;
}

/** Tokens share their beginning, so the end distinguishes them. */
const short = (token: string) => `${token.slice(0, 6)}…${token.slice(-8)}`;
