/** The reference of the API as a page: Scalar, served from here, with nothing from anywhere else. */
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

/** Five megabytes, loaded when somebody asks for the page, and then kept. */
export function referenceScript(): Promise<string> {
  script ??= readScript();
  script.catch(() => {
    script = null;
  });
  return script;
}

/** The package hands its script out as a Fastify plugin alone. */
async function readScript(): Promise<string> {
  const [{ default: Fastify }, { default: scalar }] = await Promise.all([
    import('fastify'),
    import('@scalar/fastify-api-reference'),
  ]);
  const app = Fastify();
  await app.register(scalar, { routePrefix: '/', configuration: { url: '/openapi.json' } });
  const { statusCode, body } = await app.inject('/js/scalar.js');
  await app.close();
  if (statusCode !== 200) throw new Error(`The package of the reference page answered ${statusCode}.`);
  // Its source map is not served.
  return body.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n');
}
