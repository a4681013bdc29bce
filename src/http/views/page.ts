/** The frame of every page: plain HTML that works without JavaScript. Everything that is not markup is escaped by `html`. */
import { html } from 'ghtml';

/** HTML that is safe to send: made by `html`, which escapes what it is given. */
export type Markup = string & { readonly markup?: never };

export const page = (title: string, body: Markup, options: { readonly wide?: boolean } = {}): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="stylesheet" href="${STYLE_PATH}">
</head>
<body>
<main class="${options.wide ? 'wide' : 'narrow'}">
!${body}
</main>
</body>
</html>
`;

/** Relative to the issuer; set once by buildApp when the issuer has a path. */
export let STYLE_PATH = '/assets/style.css';
export const setStylePath = (path: string): void => {
  STYLE_PATH = path;
};
