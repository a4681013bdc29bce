/**
 * `node test/bench/guard.ts`: the CPU of one check of an access token in an API, in one process and without HTTP. The
 * checks take turns. `--write` writes the table into docs/performance.md.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Handler, Request, Response } from 'express';
import { auth, requiredScopes } from 'express-oauth2-jwt-bearer';
import { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { expressGuard } from '../../src/guard/express.ts';
import { createGuard } from '../../src/guard/index.ts';
import { machine } from './report.ts';
import { median } from './statistics.ts';
import { columns, format } from './text.ts';
import { writeFigures } from './write.ts';

const ROUNDS = 15;
const CHECKS = 1000;
const IN_FLIGHT = [1, 8];
const RESOURCE = 'https://api.example.com';
const NEEDS = { scopes: ['read'] };

/** @returns whether the token opens the API. */
type Check = (token: string) => Promise<boolean>;

const { privateKey, publicKey } = await generateKeyPair('ES256');
const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }] };
const server = createServer((request, response) => {
  const metadata = { issuer, jwks_uri: `${issuer}/jwks` };
  response.setHeader('content-type', 'application/json').end(JSON.stringify(request.url === '/jwks' ? jwks : metadata));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const signed = (jti: number) =>
  new SignJWT({ scope: 'read write', client_id: 'photo-book', jti: String(jti) })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'one' })
    .setIssuer(issuer)
    .setAudience(RESOURCE)
    .setSubject('ada')
    .setIssuedAt()
    .setExpirationTime('1 hour')
    .sign(privateKey);

const REQUEST = {
  method: 'GET',
  url: '/photos',
  protocol: 'http',
  query: {},
  is: () => false,
  get: (name: string) => (name === 'Host' ? 'localhost' : undefined),
};

/** The parts of a request and a response of Express that these handlers use. */
const through =
  (...handlers: readonly Handler[]): Check =>
  async (token) => {
    const request = { ...REQUEST, headers: { authorization: `Bearer ${token}` } };
    const response = { locals: {}, getHeader: () => undefined, setHeader: () => undefined };
    for (const handler of handlers) {
      const isNext = await new Promise<boolean>((resolve) => {
        const ends = { ...response, end: () => resolve(false) };
        handler(request as unknown as Request, ends as unknown as Response, (error) => resolve(error === undefined));
      });
      if (!isNext) return false;
    }
    return true;
  };

const guard = createGuard({ issuer, resource: RESOURCE });
const keys = createLocalJWKSet(jwks);
const rules = { algorithms: ['ES256'], issuer, audience: RESOURCE, typ: 'at+jwt', requiredClaims: ['exp', 'iat'] };

const CHECKED: Readonly<Record<string, Check>> = {
  "jose's jwtVerify alone": (token) =>
    jwtVerify(token, keys, rules).then(
      () => true,
      () => false,
    ),
  'statehouse/guard': async (token) => {
    const outcome = await guard.check({ headers: { authorization: `Bearer ${token}` } }, NEEDS);
    return outcome.kind === 'granted';
  },
  'statehouse/guard/express': through(expressGuard(guard).requires(NEEDS) as Handler),
  'express-oauth2-jwt-bearer': through(
    auth({ issuerBaseURL: issuer, audience: RESOURCE, strict: true, tokenSigningAlg: 'ES256' }),
    requiredScopes('read'),
  ),
};

const tokens = await Promise.all(Array.from({ length: CHECKS }, (_, jti) => signed(jti)));

for (const [name, check] of Object.entries(CHECKED)) {
  const [good = ''] = tokens;
  const changed = `${good.slice(0, -8)}AAAAAAAA`;
  if (!(await check(good)) || (await check(changed))) throw new Error(`${name}: expected the good token alone to pass`);
}

/** @returns µs of CPU for one check, of all threads. */
async function costOf(check: Check, inFlight: number): Promise<number> {
  const waiting = [...tokens];
  const worker = async () => {
    for (let token = waiting.pop(); token !== undefined; token = waiting.pop()) await check(token);
  };
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: inFlight }, worker));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CHECKS;
}

const costs = new Map<string, number[]>();
for (let round = 0; round <= ROUNDS; round++) {
  for (const inFlight of IN_FLIGHT) {
    for (const [name, check] of Object.entries(CHECKED)) {
      const cost = await costOf(check, inFlight);
      const key = `${name} ${inFlight}`;
      // The first round warms up.
      if (round > 0) costs.set(key, [...(costs.get(key) ?? []), cost]);
    }
  }
}
server.close();

const costNow = (name: string, inFlight: number) => median(costs.get(`${name} ${inFlight}`) ?? []);
const [alone = ''] = Object.keys(CHECKED);
const table = columns([
  ['CPU of a check, µs', ...IN_FLIGHT.flatMap((inFlight) => [`${inFlight} in flight`, '÷ jose'])],
  ...Object.keys(CHECKED).map((name) => [
    name,
    ...IN_FLIGHT.flatMap((inFlight) => {
      const cost = costNow(name, inFlight);
      return [format(cost, 0), format(cost / costNow(alone, inFlight), 2)];
    }),
  ]),
]);
const { cores, cpu, node } = machine();
const extent = `${cores} cores (${cpu}), Node ${node}. Medians of ${ROUNDS} rounds of ${CHECKS.toLocaleString('en')} tokens (ES256).`;
const report = `${extent}\n\n${table.join('\n')}`;
process.stdout.write(`${report}\n`);
if (process.argv.includes('--write')) writeFigures(report, 'node test/bench/guard.ts --write');
