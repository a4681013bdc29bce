/** A request of the same caller to another address of the API, with all of its checks: its grant, its scopes and its conditions. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyRequest, LightMyRequestResponse } from 'fastify';
import { API_PATH } from './addresses.ts';
import type { Received, Sent } from './client/transport.ts';

/** @returns null for a path that does not lead to a resource of the API. */
export type Send = (sent: Sent) => Promise<Received | null>;

/** A DPoP proof or a certificate is about the caller's own request, which the guard has admitted. */
const ofSender = new AsyncLocalStorage<FastifyRequest['access']>();

/** Null: the request came by the network. */
export const accessOfSender = (): FastifyRequest['access'] => ofSender.getStore() ?? null;

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
    const sent = {
      ...{ method, url, headers: { ...headers, ...own } },
      ...(remoteAddress !== undefined && { remoteAddress }),
      ...(body !== undefined && { payload: body }),
    };
    // The request begins when it is awaited.
    const reply = await ofSender.run(request.access, async () => await request.server.inject(sent));
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
