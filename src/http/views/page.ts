/** The frame of every page: plain HTML that works without JavaScript. Everything that is not markup is escaped by `html`. */
import { readFileSync } from 'node:fs';
import { html } from 'ghtml';
import { sha256 } from '../../crypto/digest.ts';

/** HTML that is safe to send: made by `html`, which escapes what it is given. */
export type Markup = string & { readonly markup?: never };

const STYLE = readFileSync(new URL('./style.css', import.meta.url), 'utf8');

/** For `style-src`: the only style of the pages. */
export const STYLE_SOURCE = `'sha256-${sha256(STYLE).toString('base64')}'`;

export const page = (title: string, body: Markup, options: { readonly wide?: boolean } = {}): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>!${STYLE}</style>
</head>
<body>
<main class="${options.wide ? 'wide' : 'narrow'}">
!${body}
</main>
</body>
</html>
`;
