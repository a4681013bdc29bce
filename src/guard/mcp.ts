/**
 * The guard for servers of the Model Context Protocol over HTTP, in Node or Express. Its 401 names the metadata of the
 * API, from which clients find the authorization server. Each tool may require further scopes.
 */
import { demandNeeds, type Guard } from './guard.ts';
import type { Needs } from './needs.ts';
import { admit, type NodeResponse, refuse, serveMetadata } from './node-response.ts';
import type { Access } from './outcome.ts';
import type { GuardedRequest } from './request.ts';

export type McpNeeds = Needs & {
  /** Further scopes by the name of a tool. `scopes` holds for every request. */
  readonly tools?: Readonly<Record<string, readonly string[]>>;
};

/** `AuthInfo` of the SDK, which its transports pass to tools. */
export type McpAuthInfo = {
  /** Empty: tools get no token, because it is for this API alone. */
  token: '';
  clientId: string;
  scopes: string[];
  expiresAt: number;
  extra: { access: Access };
};

type McpRequest = GuardedRequest & { readonly body?: unknown };

export const authInfoOf = (access: Access): McpAuthInfo => ({
  token: '',
  clientId: access.clientId,
  scopes: [...access.scopes],
  expiresAt: access.claims.exp,
  extra: { access },
});

/** @throws TypeError when the needs are invalid. */
export function mcpGuard<Claims>(guard: Guard<Claims>, { tools = {}, ...needs }: McpNeeds) {
  const everything = withScopes(needs, Object.values(tools).flat());
  demandNeeds(guard, everything);
  const scopesOf = new Map(Object.entries(tools));
  return {
    /**
     * Middleware in front of a transport of the SDK: sets `request.auth`. With `tools`, it needs the parsed body in
     * `request.body`, such as that of `express.json()`.
     */
    protect: async (request: McpRequest, response: NodeResponse, next: () => void): Promise<void> => {
      const isMessage = request.method === 'POST' && scopesOf.size > 0;
      const named = isMessage ? scopesOfTools(request.body, scopesOf) : [];
      const outcome = await guard.check(request, named === null ? everything : withScopes(needs, named));
      // A time limit of the API has answered meanwhile.
      if (response.headersSent) return;
      if (outcome.kind !== 'granted') return refuse(response, outcome);
      Object.assign(request, { auth: authInfoOf(outcome.access) });
      admit(response, outcome);
      next();
    },
    /** `app.use(metadata)`, on the application itself: serves the metadata of the API (RFC 9728). */
    metadata: serveMetadata(guard.metadata),
  };
}

const withScopes = (needs: Needs, more: readonly string[]): Needs => ({
  ...needs,
  scopes: [...new Set([...needs.scopes, ...more])],
});

/**
 * @param body one JSON-RPC message, or a batch of them, as protocol revisions before 2025-06-18 have it.
 * @returns null for any other body. Such a request needs the scopes of all tools, so that no body hides a call.
 */
function scopesOfTools(body: unknown, scopesOf: ReadonlyMap<unknown, readonly string[]>): readonly string[] | null {
  const messages = [body].flat() as readonly unknown[];
  const isRead = messages.every((one) => typeof one === 'object' && one !== null && 'jsonrpc' in one);
  if (!isRead) return null;
  return messages.flatMap((one) => {
    const { method, params } = one as { method?: unknown; params?: unknown };
    const { name } = Object(params) as { name?: unknown };
    return method === 'tools/call' ? (scopesOf.get(name) ?? []) : [];
  });
}
