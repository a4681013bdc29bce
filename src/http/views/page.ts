/** The frame of every page: plain HTML that works without JavaScript. `html` escapes everything that is no markup. */
import { readFileSync } from 'node:fs';
import { html } from 'ghtml';
import { sha256 } from '../../crypto/digest.ts';

/** HTML that is safe to send: `html` makes it, and escapes its input. */
export type Markup = string & { readonly markup?: never };

export const STYLE = readFileSync(new URL('./style.css', import.meta.url), 'utf8');

/** For `style-src`: the style of all pages. */
export const STYLE_SOURCE = `'sha256-${sha256(STYLE).toString('base64')}'`;

/** The brand of the pages. */
export type Brand = {
  readonly organization: string | null;
  /** Placed after the style of all pages. Empty: none. */
  readonly style: string;
  /** URLs of images of this server. */
  readonly logo: string | null;
  /** In place of logo and name. */
  readonly wordmark: { readonly light: string; readonly dark: string } | null;
  readonly icon: string;
  readonly links: { readonly [Name in keyof LinkWords]?: string | undefined };
  readonly footer: string | null;
};

type LinkWords = { readonly help: string; readonly terms: string; readonly privacy: string };

/** The parts around the body of a page. */
export type Frame = {
  /** BCP 47, for the language of the texts. */
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly brand: Brand;
  readonly words: { readonly frame: LinkWords };
};

/** The problem of a form, which its fields refer to by `problem`. */
export const alert = (problem: string | null): Markup =>
  problem === null ? '' : html`<p class="alert" role="alert" id="problem">${problem}</p>`;

/** @param title plain text. */
export const page = (frame: Frame, title: string, body: Markup, options: { readonly wide?: boolean } = {}): string =>
  html`<!doctype html>
<html lang="${frame.language}" dir="${frame.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${frame.brand.organization === null ? title : `${title} · ${frame.brand.organization}`}</title>
<link rel="icon" href="${frame.brand.icon}">
<style>!${STYLE}</style>
!${frame.brand.style === '' ? '' : `<style>${frame.brand.style}</style>`}
</head>
<body>
!${header(frame.brand)}
<main class="${options.wide ? 'wide' : 'narrow'}">
!${body}
</main>
!${footer(frame)}
</body>
</html>
`;

const header = (brand: Brand): Markup => {
  const shown = brand.wordmark === null ? logoAndName(brand) : wordmark(brand.wordmark, brand.organization);
  return shown === '' ? '' : html`<header class="brand">!${shown}</header>`;
};

/** The name stands beside the logo, so the logo itself needs no text. */
const logoAndName = ({ organization, logo }: Brand): Markup =>
  [
    ...(logo === null ? [] : [html`<img src="${logo}" alt="" height="40">`]),
    ...(organization === null ? [] : [html`<span>${organization}</span>`]),
  ].join('\n');

const wordmark = ({ light, dark }: NonNullable<Brand['wordmark']>, name: string | null): Markup =>
  html`<picture><source srcset="${dark}" media="(prefers-color-scheme: dark)"><img src="${light}" alt="${name ?? ''}" height="40"></picture>`;

const LINKS = ['help', 'terms', 'privacy'] as const;

function footer({ brand: { links, footer: text }, words }: Frame): Markup {
  const shown = LINKS.flatMap((name) => {
    const href = links[name];
    return href === undefined ? [] : [html`<li><a href="${href}">${words.frame[name]}</a></li>`];
  });
  if (shown.length === 0 && text === null) return '';
  return html`<footer class="brand">
!${shown.length === 0 ? '' : html`<ul>!${shown.join('')}</ul>`}
!${text === null ? '' : html`<p>${text}</p>`}
</footer>`;
}
