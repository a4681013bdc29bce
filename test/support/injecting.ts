/** `fetch`, answered by an app without the network. */
import type { FastifyInstance, InjectOptions } from 'fastify';

export const injecting =
  (app: FastifyInstance): typeof globalThis.fetch =>
  async (input, init = {}) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input);
    const { statusCode, body, headers } = await app.inject({
      method: (init.method ?? 'GET') as NonNullable<InjectOptions['method']>,
      url: `${pathname}${search}`,
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(init.body && { payload: String(init.body) }),
    });
    const fields = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
    // A response without a body must not have one (Fetch §5.5).
    return new Response(statusCode === 204 ? null : body, { status: statusCode, headers: fields });
  };
