/** The addresses of the resources, under the issuer. */
import { urlUnder } from '../oauth/urls.ts';

export const API_PATH = '/management/v1';

/** @param parts of the path; each is encoded. */
export const addressOf = (issuer: string, ...parts: readonly string[]): string =>
  urlUnder(issuer, `${API_PATH}${parts.map((part) => `/${encodeURIComponent(part)}`).join('')}`);

/** `_links` of an item. */
export const links = (hrefs: Readonly<Record<string, string>>) => ({
  _links: Object.fromEntries(Object.entries(hrefs).map(([name, href]) => [name, { href }])),
});
