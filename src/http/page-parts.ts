/** Cookies and form tokens: made once, and passed as options to every plugin with pages. */
import type { RootKeys } from '../crypto/root-secret.ts';
import { type BrowserCookieOptions, type BrowserCookies, browserCookies } from './cookies.ts';
import { type Csrf, csrf } from './csrf.ts';

export type PagePartsOptions = BrowserCookieOptions & { readonly keys: RootKeys };

export type PageParts = { readonly cookies: BrowserCookies; readonly csrf: Csrf };

export function pageParts(options: PagePartsOptions): PageParts {
  const cookies = browserCookies(options);
  return { cookies, csrf: csrf({ ...options, cookies }) };
}
