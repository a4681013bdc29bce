/** The frame of the console's pages: navigation, the signed-in user, one style, and at most one script. */
import { readFileSync } from 'node:fs';
import { html } from 'ghtml';
import { sha256 } from '../crypto/digest.ts';
import { type Markup, STYLE, STYLE_SOURCE } from '../http/views/page.ts';
import type { Area } from './shown.ts';
import { shownText } from './shown-text.ts';

const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');
const CONSOLE_STYLE = read('./console.css');
const SCRIPT = read('./live-in-page.js');

/** For Content-Security-Policy. */
export const sourceOf = (text: string): string => `'sha256-${sha256(text).toString('base64')}'`;

export const CONSOLE_STYLES = `${STYLE_SOURCE} ${sourceOf(CONSOLE_STYLE)}`;
export const SCRIPT_SOURCE = sourceOf(SCRIPT);

type Entry = { readonly area: Area; readonly path: string; readonly label: string; readonly scope: string };

const ENTRIES: readonly Entry[] = [
  { area: 'overview', path: '/console', label: 'Overview', scope: 'configuration:read' },
  { area: 'machines', path: '/console/machines', label: 'Machines', scope: 'configuration:read' },
  { area: 'clients', path: '/console/clients', label: 'Clients', scope: 'clients:read' },
  { area: 'end-users', path: '/console/end-users', label: 'End-users', scope: 'users:read' },
  { area: 'grants', path: '/console/grants', label: 'Grants', scope: 'grants:read' },
  { area: 'sessions', path: '/console/sessions', label: 'Sessions', scope: 'sessions:read' },
  { area: 'keys', path: '/console/keys', label: 'Keys', scope: 'keys:read' },
  { area: 'webhooks', path: '/console/webhooks', label: 'Webhooks', scope: 'webhooks:read' },
  { area: 'ledger', path: '/console/ledger', label: 'Ledger', scope: 'ledger:read' },
  { area: 'configuration', path: '/console/configuration', label: 'Configuration', scope: 'configuration:read' },
];

export type Frame = {
  readonly title: string;
  readonly area: Area | null;
  /** Null: no user is signed in. */
  readonly viewer: {
    readonly username: string;
    readonly may: (scope: string) => boolean;
    readonly changesNothing: boolean;
    readonly path: (path: string) => string;
    readonly hidden: Markup;
  } | null;
  readonly live: boolean;
};

export const framed = ({ title, area, viewer, live }: Frame, body: Markup): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${shownText(title)} · Statehouse console</title>
<style>!${STYLE}</style>
<style>!${CONSOLE_STYLE}</style>
</head>
<body class="console">
!${viewer === null ? '' : header(viewer, area)}
<main id="content" tabindex="-1">
<h1><bdi>${shownText(title)}</bdi></h1>
!${body}
</main>
!${live ? html`<script type="module">!${SCRIPT}</script>` : ''}
</body>
</html>
`;

const header = ({ username, may, changesNothing, path, hidden }: NonNullable<Frame['viewer']>, area: Area | null) =>
  html`<a class="skip" href="#content">Skip to the page</a>
<header>
<nav aria-label="Console">
<ul>
!${ENTRIES.filter(({ scope }) => may(scope))
    .map(
      (entry) =>
        html`<li><a href="${path(entry.path)}"!${entry.area === area ? ' aria-current="page"' : ''}>${entry.label}</a></li>`,
    )
    .join('')}
</ul>
</nav>
<form method="post" action="${path('/console/find')}" role="search" aria-label="Everything">
!${hidden}
<input aria-label="Find a person, a client or a token" name="q" type="search" maxlength="16384" placeholder="Name, address, client or token" autocomplete="off" spellcheck="false" enterkeyhint="search">
<button type="submit" class="second small">Search</button>
</form>
<form method="post" action="${path('/console/sign-out')}">
!${hidden}
<span class="quiet"><bdi>${shownText(username, 40)}</bdi>!${changesNothing ? ' (auditor: changes nothing)' : ''}</span>
<button type="submit" class="second small">Sign out</button>
</form>
</header>`;
