/** The brand of all pages, made once for each branding that comes into force. */
import type { Branding } from '../config/branding.ts';
import { sha256 } from '../crypto/digest.ts';
import type { FontFile, Image } from '../model/image.ts';
import { pathUnder } from '../oauth/urls.ts';
import { DEFAULT_FAVICON } from './views/favicon.ts';
import { type Brand, STYLE_SOURCE } from './views/page.ts';

export type ShownBrand = {
  readonly brand: Brand;
  /** Content-Security-Policy of a page without a script. */
  readonly policy: string;
  /** The images of the branding that /images serves, and the icon. */
  readonly images: readonly Image[];
  /** The fonts that /fonts serves. */
  readonly fonts: readonly FontFile[];
  readonly favicon: Image;
};

/** @returns the brand of the configuration in force. A change of the configuration renews it. */
export function brandSource(configuration: () => { readonly branding: Branding }, issuer: string): () => ShownBrand {
  let made: { readonly of: Branding; readonly shown: ShownBrand } | null = null;
  return () => {
    const { branding } = configuration();
    if (made?.of !== branding) made = { of: branding, shown: makeBrand(branding, issuer) };
    return made.shown;
  };
}

/** Contains the hash, so that a browser may cache it forever. */
export const imagePath = (issuer: string, hash: string): string => pathUnder(issuer, `/images/${hash}`);

const fontPath = (issuer: string, hash: string): string => pathUnder(issuer, `/fonts/${hash}`);

export function makeBrand(branding: Branding, issuer: string): ShownBrand {
  const { organization, logo, wordmark, favicon, font, links, footer } = branding;
  const style = styleOf(branding, issuer);
  const icon = favicon ?? DEFAULT_FAVICON;
  const styles = style === '' ? STYLE_SOURCE : `${STYLE_SOURCE} '${hashSource(style)}'`;
  const fonts = font === null ? [] : [font.regular, ...(font.bold ? [font.bold] : [])];
  const url = ({ hash }: Image) => imagePath(issuer, hash);
  return {
    brand: {
      organization,
      style,
      logo: logo && url(logo),
      wordmark: wordmark && { light: url(wordmark.light), dark: url(wordmark.dark) },
      icon: url(icon),
      links,
      footer,
    },
    /*
     * `form-action` is absent on purpose where a form leads to the client: Chromium holds the whole redirect chain against it
     * (docs/decisions/0011). Images and fonts are ours alone: no page asks another server for any.
     */
    policy: [
      "default-src 'none'",
      `style-src ${styles}`,
      "img-src 'self'",
      ...(fonts.length > 0 ? ["font-src 'self'"] : []),
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    images: [icon, ...(logo ? [logo] : []), ...(wordmark ? [wordmark.light, wordmark.dark] : [])],
    fonts,
    favicon: icon,
  };
}

/** The schema admits only colors and numbers of their form, and a hash is base64url, so the style contains no other text. */
function styleOf({ accentColor, background, cornerRadius, font }: Branding, issuer: string): string {
  const colors = (scheme: 'light' | 'dark') =>
    [
      accentColor && `--accent:${accentColor[scheme]}`,
      background && `--page:${background[scheme]}`,
      scheme === 'light' && font && '--font:brand,var(--system-font)',
      scheme === 'light' && cornerRadius !== null && `--radius:${cornerRadius}px`,
    ]
      .filter((one) => typeof one === 'string')
      .join(';');
  const [light, dark] = [colors('light'), colors('dark')];
  const face = (file: FontFile, weight: number) =>
    `@font-face{font-family:brand;font-weight:${weight};font-display:swap;src:url(${fontPath(issuer, file.hash)}) format("woff2")}`;
  return [
    font ? face(font.regular, 400) : '',
    font?.bold ? face(font.bold, 600) : '',
    light === '' ? '' : `:root{${light}}`,
    dark === '' ? '' : `@media (prefers-color-scheme:dark){:root{${dark}}}`,
  ].join('');
}

const hashSource = (text: string): string => `sha256-${sha256(text).toString('base64')}`;
