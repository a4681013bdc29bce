/** The process. ISSUER: of the authorization server; PORT: where this API listens on this machine. */
import { photoApi } from './api.ts';

const { ISSUER = 'http://localhost:3000', PORT = '4000' } = process.env;
const resource = `http://localhost:${PORT}/mcp`;

photoApi(ISSUER, resource).listen(Number(PORT), 'localhost', () => {
  process.stdout.write(`Photos are at ${resource}, for tokens of ${ISSUER}.\n`);
});
