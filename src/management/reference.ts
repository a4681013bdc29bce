/** The reference of the API as a page: Scalar, served from here, with nothing from anywhere else. */
import { readFile } from 'node:fs/promises';
import { html } from 'ghtml';
import { sha256 } from '../crypto/digest.ts';
import type { PublicText } from './public-document.ts';

type Addresses = { readonly openApiUrl: string; readonly scriptUrl: string };

/** No fonts, no figures sent home, no assistant; requests are for `curl` and programs, so the page sends none. */
const OPTIONS = {
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideTestRequestButton: true,
  hideClientButton: true,
  persistAuth: false,
  documentDownloadType: 'direct',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
} as const;

const hashOf = (text: string): string => `'sha256-${sha256(text).toString('base64')}'`;

export function referencePage({ openApiUrl, scriptUrl }: Addresses): PublicText {
  // "<" is the only character with which a script could end early.
  const options = JSON.stringify({ url: openApiUrl, ...OPTIONS }).replaceAll('<', '\\u003c');
  const start = `Scalar.createApiReference('#reference', ${options})`;
  return {
    type: 'text/html; charset=utf-8',
    text: html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Statehouse: the management API</title>
</head>
<body>
<noscript><h1>The management API</h1>
<p>This page needs JavaScript to show <a href="${openApiUrl}">the OpenAPI document of the API</a>, which says the same.</p></noscript>
<div id="reference"></div>
<script src="${scriptUrl}"></script>
<script>!${start}</script>
</body>
</html>
`,
    // Scalar writes its styles into the page.
    contentSecurityPolicy: [
      "default-src 'none'",
      `script-src ${scriptUrl} ${hashOf(start)}`,
      "style-src 'unsafe-inline'",
      'img-src data:',
      `connect-src ${openApiUrl}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
  };
}

let script: Promise<string> | null = null;

/** Five megabytes, loaded with the first page, and then kept. */
export function referenceScript(): Promise<string> {
  script ??= readFile(new URL('scalar/standalone.js', import.meta.url), 'utf8');
  script.catch(() => {
    script = null;
  });
  return script;
}
