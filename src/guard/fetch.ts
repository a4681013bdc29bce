/**
 * The guard for handlers of the Fetch API, from `Request` to `Response`: route handlers of Next.js, Cloudflare Workers,
 * Deno, Bun. It uses nothing of Node.
 */
import { demandNeeds, type Guard } from './guard.ts';
import { cachingOf } from './headers.ts';
import { METADATA_HEADERS } from './metadata.ts';
import type { Needs } from './needs.ts';
import type { Access, Refused, Unavailable } from './outcome.ts';

export function fetchGuard<Claims>(guard: Guard<Claims>) {
  return {
    /**
     * The guarded handler. The framework's further arguments follow the caller. @throws TypeError when the needs are
     * invalid.
     */
    requires<Asked extends Request, Rest extends readonly unknown[]>(
      needs: Needs,
      handler: (request: Asked, access: Access<Claims>, ...rest: Rest) => Response | Promise<Response>,
    ) {
      demandNeeds(guard, needs);
      return async (request: Asked, ...rest: Rest): Promise<Response> => {
        const outcome = await guard.check(request, needs);
        if (outcome.kind !== 'granted') return refusalOf(outcome);
        return uncached(await handler(request, outcome.access, ...rest));
      };
    },
    /** The metadata of the API (RFC 9728), for requests for `guard.metadata.path`. */
    metadata: (): Response => Response.json(guard.metadata.document, { headers: METADATA_HEADERS }),
  };
}

/** The response to a refused request, where you call `guard.check` yourself, such as in middleware of Next.js. */
export const refusalOf = ({ status, headers, body }: Refused | Unavailable): Response =>
  Response.json(body, { status, headers });

/** A copy, because the headers of a fetched response are immutable. */
function uncached(response: Response): Response {
  // A WebSocket of Cloudflare, which no copy keeps.
  if (response.status === 101) return response;
  const copy = new Response(response.body, response);
  const present = { cacheControl: copy.headers.get('cache-control'), vary: copy.headers.get('vary') };
  for (const [name, value] of Object.entries(cachingOf(present))) copy.headers.set(name, value);
  return copy;
}
