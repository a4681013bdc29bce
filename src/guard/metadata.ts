/** The metadata of the API itself (RFC 9728), from which clients learn where to get a token. */

export type ResourceMetadata = {
  /** Null: the identifier of the API is no URL, so clients cannot find its metadata. */
  readonly url: string | null;
  /** The path of `url`, on the host of the API, without the query that its identifier may have. */
  readonly path: string | null;
  readonly document: ResourceMetadataDocument;
};

export type ResourceMetadataDocument = {
  readonly resource: string;
  readonly authorization_servers: readonly string[];
  readonly bearer_methods_supported: readonly ['header'];
  readonly scopes_supported?: readonly string[];
  readonly dpop_signing_alg_values_supported?: readonly string[];
  readonly tls_client_certificate_bound_access_tokens?: true;
  readonly resource_name?: string;
  readonly resource_documentation?: string;
};

/** RFC 9728 §3: public, also for clients in browsers. The metadata contain no secret. */
export const METADATA_HEADERS = {
  'access-control-allow-origin': '*',
  'cache-control': 'public, max-age=300',
} as const;

export type ResourceFacts = {
  readonly issuer: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  /** The algorithms of DPoP proofs. Null: the API takes none. */
  readonly dpop: readonly string[] | null;
  /** Whether the API checks tokens that are bound to a certificate. */
  readonly certificates?: boolean;
  readonly name?: string | undefined;
  readonly documentation?: string | undefined;
};

/** RFC 9728 §3.1: the well-known part comes between host and path, and a query keeps its place. */
function placeOf(resource: string): { readonly url: string; readonly path: string } | null {
  if (!/^https?:/i.test(resource)) return null;
  const { origin, pathname, search } = new URL(resource);
  const path = `/.well-known/oauth-protected-resource${pathname.replace(/\/$/, '')}`;
  return { url: `${origin}${path}${search}`, path };
}

export function resourceMetadata({
  issuer,
  resource,
  scopes,
  dpop,
  certificates = false,
  name,
  documentation,
}: ResourceFacts): ResourceMetadata {
  const place = placeOf(resource);
  return {
    url: place?.url ?? null,
    path: place?.path ?? null,
    document: {
      resource,
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
      ...(scopes.length > 0 && { scopes_supported: scopes }),
      ...(dpop !== null && { dpop_signing_alg_values_supported: dpop }),
      ...(certificates && { tls_client_certificate_bound_access_tokens: true as const }),
      ...(name !== undefined && { resource_name: name }),
      ...(documentation !== undefined && { resource_documentation: documentation }),
    },
  };
}
