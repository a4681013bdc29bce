/** The frame of the console's pages: navigation, the signed-in user, one style, and the scripts of the page. */
import { readFileSync } from 'node:fs';
import { html } from 'ghtml';
import { sha256 } from '../crypto/digest.ts';
import { type Markup, STYLE, STYLE_SOURCE } from '../http/views/page.ts';
import type { Area, ShownPage } from './shown.ts';
import { shownText } from './shown-text.ts';

const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');
const CONSOLE_STYLE = read('./console.css');

/** The scripts of pages, each with the further sources that it needs. */
const SCRIPTS = {
  live: { text: read('./live-in-page.js'), sources: ["connect-src 'self'"] },
  verify: { text: read('./verify-in-page.js'), sources: ["connect-src 'self'"] },
  localTime: { text: read('./local-time-in-page.js'), sources: [] },
} as const;
export type ScriptName = keyof typeof SCRIPTS;

/** For Content-Security-Policy. */
export const sourceOf = (text: string): string => `'sha256-${sha256(text).toString('base64')}'`;

export const CONSOLE_STYLES = `${STYLE_SOURCE} ${sourceOf(CONSOLE_STYLE)}`;

/** The scripts of a page: its own, and that for instants where it has some. A verification gets its instants later. */
export function scriptsOf({ body, script }: Pick<ShownPage, 'body' | 'script'>): readonly ScriptName[] {
  const hasTimes = script === 'verify' || body.includes('<time ');
  return [...(script ? [script] : []), ...(hasTimes ? (['localTime'] as const) : [])];
}

/** For Content-Security-Policy. */
export const scriptPolicy = (names: readonly ScriptName[]): readonly string[] =>
  names.length === 0
    ? []
    : [
        `script-src ${names.map((name) => sourceOf(SCRIPTS[name].text)).join(' ')}`,
        ...names.flatMap((name) => SCRIPTS[name].sources),
      ];

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
  readonly scripts: readonly ScriptName[];
};

export const framed = ({ title, area, viewer, scripts }: Frame, body: Markup): string =>
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
!${scripts.map((name) => html`<script type="module">!${SCRIPTS[name].text}</script>`).join('\n')}
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
