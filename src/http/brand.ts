/** The brand of all pages, made once for each branding that comes into force. */
import type { Branding } from '../config/branding.ts';
import { sha256 } from '../crypto/digest.ts';
import type { Image } from '../model/image.ts';
import { pathUnder } from '../oauth/urls.ts';
import { DEFAULT_FAVICON } from './views/favicon.ts';
import { type Brand, STYLE_SOURCE } from './views/page.ts';

export type ShownBrand = {
  readonly brand: Brand;
  /** Content-Security-Policy of a page without a script. */
  readonly policy: string;
  /** The images of the branding that /images serves, and the icon. */
  readonly images: readonly Image[];
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

export function makeBrand(
  { organization, logo, favicon, accentColor, links, footer }: Branding,
  issuer: string,
): ShownBrand {
  // The schema admits only colors of this form, so the style contains no other text.
  const style = accentColor === null ? '' : styleOf(accentColor);
  const icon = favicon ?? DEFAULT_FAVICON;
  const styles = style === '' ? STYLE_SOURCE : `${STYLE_SOURCE} '${hashSource(style)}'`;
  return {
    brand: {
      organization,
      style,
      logo: logo && imagePath(issuer, logo.hash),
      icon: imagePath(issuer, icon.hash),
      links,
      footer,
    },
    /*
     * `form-action` is absent on purpose where a form leads to the client: Chromium holds the whole redirect chain against it
     * (docs/decisions/0011). Images are ours alone: no page asks another server for any.
     */
    policy: `default-src 'none'; style-src ${styles}; img-src 'self'; base-uri 'none'; frame-ancestors 'none'`,
    images: [icon, ...(logo ? [logo] : [])],
    favicon: icon,
  };
}

const styleOf = ({ light, dark }: NonNullable<Branding['accentColor']>): string =>
  `:root{--accent:${light}}@media (prefers-color-scheme:dark){:root{--accent:${dark}}}`;

const hashSource = (text: string): string => `sha256-${sha256(text).toString('base64')}`;
