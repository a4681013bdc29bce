/** The metadata of the authorization server (RFC 8414): the URLs of its keys and its introspection endpoint. */
import { sharedAttempt } from './attempt.ts';
import { type AskForJson, objectOf } from './json-request.ts';

export type Endpoint =
  | { readonly kind: 'found'; readonly url: string }
  | { readonly kind: 'failed'; readonly detail: string };

export type EndpointName = 'jwks_uri' | 'introspection_endpoint';

export type Discovery = {
  /** Asks the server. While the server is unavailable, its last answer holds. Never rejects. */
  readonly ask: (name: EndpointName) => Promise<Endpoint>;
  /** The last answer. Asks the server only if there is none. */
  readonly known: (name: EndpointName) => Promise<Endpoint>;
};

/** RFC 8414 §3.1: the well-known part comes between host and path. */
export function metadataUrlOf(issuer: string): string {
  const { origin, pathname } = new URL(issuer);
  return `${origin}/.well-known/oauth-authorization-server${pathname.replace(/\/$/, '')}`;
}

/** @param given endpoints that need no discovery. */
export function discovery(
  ask: AskForJson,
  issuer: string,
  given: Readonly<Partial<Record<EndpointName, string>>>,
  timeoutMilliseconds: number,
): Discovery {
  const url = metadataUrlOf(issuer);
  let heard: Readonly<Record<string, unknown>> | null = null;

  /** @returns the failure, or null. */
  const { run: hear } = sharedAttempt(async (): Promise<string | null> => {
    const answer = await ask({ url, method: 'GET', headers: {} }, timeoutMilliseconds);
    if (answer.kind === 'failed') return answer.detail;
    const metadata = objectOf(answer.value);
    // RFC 8414 §3.3: the issuer MUST be identical, else the metadata MUST NOT be used.
    if (metadata?.['issuer'] !== issuer) return `GET ${url}: it is not the metadata of the issuer ${issuer}`;
    heard = metadata;
    return null;
  });

  const endpoint = (name: EndpointName, failure: string | null): Endpoint => {
    const value = heard?.[name];
    if (heard === null) return { kind: 'failed', detail: failure ?? `GET ${url}: no answer yet` };
    return isEndpointOf(issuer, value)
      ? { kind: 'found', url: value }
      : { kind: 'failed', detail: `GET ${url}: its ${name} is missing, or not a URL that an API may ask` };
  };

  const askFor = async (name: EndpointName): Promise<Endpoint> => {
    const own = given[name];
    if (own !== undefined) return { kind: 'found', url: own };
    return endpoint(name, await hear());
  };

  return {
    ask: askFor,
    known: async (name) => (heard === null || given[name] !== undefined ? askFor(name) : endpoint(name, null)),
  };
}

/** The endpoint needs the scheme of the issuer, so that an issuer on TLS never refers to an endpoint without TLS. */
export function isEndpointOf(issuer: string, value: unknown): value is string {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { protocol } = new URL(value);
  return protocol === 'https:' || (protocol === 'http:' && issuer.startsWith('http:'));
}
