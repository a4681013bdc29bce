/** The public part of the API: its OpenAPI document, the reference page that shows it, and a page about each problem. */
import type { FastifyInstance } from 'fastify';
import { addressOf } from './addresses.ts';
import { openApiDocument } from './openapi/document.ts';
import { isProblemReason, problemPage } from './problem-page.ts';
import { publicDocument } from './public-document.ts';
import { referencePage, referenceScript } from './reference.ts';

/** In the scope of the API. */
export function publicPages(app: FastifyInstance, issuer: string): void {
  // Each is made at the first request for it, and then kept.
  let openApi: string | null = null;
  publicDocument(app, issuer, '/openapi.json', () => {
    openApi ??= JSON.stringify(openApiDocument(issuer));
    return { type: 'application/json; charset=utf-8', text: openApi };
  });
  const openApiUrl = addressOf(issuer, 'openapi.json');
  const scriptUrl = addressOf(issuer, 'reference', 'scalar.js');
  publicDocument(app, issuer, '/reference', () => referencePage({ openApiUrl, scriptUrl }));
  publicDocument(app, issuer, '/reference/scalar.js', async () => ({
    type: 'text/javascript; charset=utf-8',
    text: await referenceScript(),
  }));
  publicDocument(app, issuer, '/problems/:reason', ({ params }) => {
    const { reason } = params as { reason: string };
    return isProblemReason(reason) ? problemPage(reason, addressOf(issuer, 'reference')) : null;
  });
}
