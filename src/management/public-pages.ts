/** The public part of the API: its OpenAPI document, the reference page that shows it, and a page about each problem. */
import type { FastifyInstance } from 'fastify';
import { addressOf } from './addresses.ts';
import { publicDocument } from './public-document.ts';

/** In the scope of the API. */
export function publicPages(app: FastifyInstance, issuer: string): void {
  // Each is made at the first request for it, and then kept.
  let openApi: string | null = null;
  publicDocument(app, '/openapi.json', async () => {
    openApi ??= JSON.stringify((await import('./openapi/document.ts')).openApiDocument(issuer));
    return { type: 'application/json; charset=utf-8', text: openApi };
  });
  const openApiUrl = addressOf(issuer, 'openapi.json');
  const scriptUrl = addressOf(issuer, 'reference', 'scalar.js');
  publicDocument(app, '/reference', async () =>
    (await import('./reference.ts')).referencePage({ openApiUrl, scriptUrl }),
  );
  publicDocument(app, '/reference/scalar.js', async () => ({
    type: 'text/javascript; charset=utf-8',
    text: await (await import('./reference.ts')).referenceScript(),
  }));
  publicDocument(app, '/problems/:reason', async ({ params }) => {
    const { reason } = params as { reason: string };
    const { isProblemReason, problemPage } = await import('./problem-page.ts');
    return isProblemReason(reason) ? problemPage(reason, addressOf(issuer, 'reference')) : null;
  });
}
