import { html } from 'ghtml';
import type { Look } from '../look.ts';
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
  /** The response without a code. */
  readonly refusal: Readonly<Record<string, unknown>> | null;
  readonly exchange: Exchange | null;
  readonly accessToken: Decoded | null;
  readonly idToken: Decoded | null;
};

export type Decoded = { readonly header: unknown; readonly claims: unknown };

/** In English only: it is for developers, on their own machine. */
export function playgroundPage(look: Look, view: PlaygroundView): string {
  const { title, words, shown, link, actions, refusal, exchange, accessToken, idToken } = view;
  return page(
    { ...look, language: 'en', direction: 'ltr' },
    title,
    html`<h1>${title}</h1>
<div class="columns">
<section>
!${words.map((paragraph) => html`<p>${paragraph}</p>`).join('')}
!${definitions(shown)}
!${actions.map(button).join('')}
!${link ? html`<p><a class="button" href="${link.href}">${link.label}</a></p>` : ''}
!${refusal ? html`<h2>Came back: GET /playground/callback</h2>!${json('What came back', refusal)}` : ''}
!${exchange ? exchanged(exchange) : ''}
!${accessToken ? token('The access token, decoded', accessToken) : ''}
!${idToken ? token('The ID Token, decoded', idToken) : ''}
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

function exchanged({ to, sent, status, answer }: Exchange): Markup {
  const body = Object.entries(sent)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n&');
  const good = status === 200 ? 'good' : 'bad';
  return html`<h2>Sent: POST ${to}</h2>!${box('What was sent', body)}<h2>Answered: <span class="${good}">${String(status)}</span></h2>!${json('The answer', answer)}`;
}

/** Closed at first: the page stays as long as what has just happened. */
const token = (name: string, { header, claims }: Decoded): Markup =>
  html`<details><summary>${name}</summary>!${json(`${name}: header`, header)}!${json(`${name}: claims`, claims)}</details>`;

const json = (name: string, value: unknown): Markup => box(name, JSON.stringify(value, null, 2));

/** A token has a thousand characters: the box scrolls, also by keyboard. */
const box = (name: string, text: string): Markup =>
  html`<pre tabindex="0" role="region" aria-label="${name}">${text}</pre>`;

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
