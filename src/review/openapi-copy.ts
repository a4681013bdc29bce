/** The OpenAPI document of the management API as it is kept in the repository, for those who read or compare it there. */
import { openApiDocument } from '../management/openapi/document.ts';

const ISSUER = 'https://as.example';

export const openApiCopy = () => [
  { path: 'docs/management/openapi.json', text: `${JSON.stringify(openApiDocument(ISSUER), null, 2)}\n` },
];
