/** A server of https on this machine, for fetches of addresses that a registration names. */
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, LookupFunction } from 'node:net';
import { afterAll, beforeAll } from 'vitest';
import { CERTIFICATE, CERTIFICATE_KEY } from './certificate.ts';

/** Its name leads to this machine, which a real lookup would refuse. */
export const reachable = {
  ca: CERTIFICATE,
  lookup: ((_name, { all }, callback) =>
    all ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4)) as LookupFunction,
};

/** Open while the tests of the block run. */
export function httpsServer(listener: RequestListener) {
  let server: Server;
  let port: number;
  beforeAll(async () => {
    server = createServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, listener);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    port: () => port,
    at: (path: string) => `https://logos.test:${port}${path}`,
  };
}
