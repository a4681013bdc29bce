/** A request of the same caller to another address of the API, with all of its checks: its token, its scopes and its conditions. */
import type { FastifyRequest, LightMyRequestResponse } from 'fastify';
import { API_PATH } from './addresses.ts';
import type { Received, Sent } from './client/transport.ts';

/** @returns null for a path that does not lead to a resource of the API. */
export type Send = (sent: Sent) => Promise<Received | null>;

/** They say who calls, and from where. */
const OF_THE_CALLER = [
  'authorization',
  'host',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
];

export const sendAs =
  (request: FastifyRequest): Send =>
  async ({ method, path, headers, body }) => {
    const api = `${request.url.slice(0, request.url.indexOf(API_PATH))}${API_PATH}`;
    const url = `${api}${path}`;
    if (!isBelow(api, url)) return null;
    const { remoteAddress } = request.socket;
    const own: Readonly<Record<string, string>> = Object.fromEntries(
      OF_THE_CALLER.flatMap((name) => {
        const value = request.headers[name];
        return value === undefined ? [] : [[name, String(value)]];
      }),
    );
    const reply = await request.server.inject({
      method,
      url,
      headers: { ...headers, ...own },
      ...(remoteAddress !== undefined && { remoteAddress }),
      ...(body !== undefined && { payload: body }),
    });
    return receivedFrom(reply);
  };

/** An answer that came without a network. */
export const receivedFrom = ({ statusCode, body, headers }: LightMyRequestResponse): Received => ({
  status: statusCode,
  text: body,
  header: (name) => {
    const value = headers[name];
    return value === undefined ? null : String(value);
  },
});

/** Parts such as `..`, also when they are encoded, would lead out of the API. */
function isBelow(api: string, url: string): boolean {
  const base = 'http://localhost';
  return (
    !url.includes('#') &&
    URL.canParse(url, base) &&
    new URL(url, base).href === `${base}${url}` &&
    url.startsWith(`${api}/`)
  );
}
