/** The process. ISSUER: of the authorization server; API: the URL of this API, on this machine. */
import { photoApi } from './api.ts';

const { ISSUER = 'http://localhost:3000', API = 'http://localhost:4000/mcp' } = process.env;

photoApi(ISSUER, API).listen(Number(new URL(API).port || 80), 'localhost', () => {
  process.stdout.write(`Photos are at ${API}, for tokens of ${ISSUER}.\n`);
});
