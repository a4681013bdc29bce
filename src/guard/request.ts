/**
 * The presentation of an access token: in one Authorization header and nowhere else (RFC 6750 §2.1, OAuth 2.1 §5.1.1).
 */

/**
 * The fields of a request that the guard reads. Requests of Node, Express, Fastify (`request.raw`) and Fetch fit. Other
 * fields are for the proof.
 */
export type GuardedRequest = {
  readonly headers:
    | Readonly<Record<string, string | readonly string[] | undefined>>
    | { readonly get: (name: string) => string | null };
  /** As sent: Node keeps the first of several Authorization headers, and only this list has them all. */
  readonly rawHeaders?: readonly string[];
  readonly url?: string | undefined;
  /** Of Express, whose routers shorten `url`. */
  readonly originalUrl?: string | undefined;
  readonly method?: string | undefined;
};

export type Scheme = 'bearer' | 'dpop';

export type Credentials =
  | { readonly kind: 'token'; readonly scheme: Scheme; readonly token: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'several' }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'too_long' };

/** RFC 6750 §2.1: b64token. */
const B64TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;
const SCHEME = /^(bearer|dpop)(?: +|$)/i;

/**
 * @param schemes the accepted schemes. A request with another scheme has no credentials for this guard.
 * @param maxLength of a token, in characters.
 */
export function credentialsOf(request: GuardedRequest, schemes: ReadonlySet<Scheme>, maxLength: number): Credentials {
  const values = headerValues(request, NAME);
  const [value] = values;
  // A token in the URL reaches logs. Alone it is no credential. Beside a header it is a second method (RFC 6750 §2).
  if (value === undefined) return { kind: 'none' };
  if (values.length > 1 || countRaw(request.rawHeaders) > 1) return { kind: 'several' };
  const [prefix = '', name = ''] = SCHEME.exec(value) ?? [];
  const scheme = name.toLowerCase() as Scheme;
  if (!schemes.has(scheme)) return { kind: 'none' };
  if (hasTokenInQuery(request.url)) return { kind: 'several' };
  const token = value.slice(prefix.length);
  if (token.length > maxLength) return { kind: 'too_long' };
  return B64TOKEN.test(token) ? { kind: 'token', scheme, token } : { kind: 'malformed' };
}

const NAME = 'authorization';

/** @param wanted in small letters. */
export function headerValues({ headers }: GuardedRequest, wanted: string): readonly string[] {
  if (typeof headers.get === 'function') {
    const value: string | null = headers.get(wanted);
    return value === null ? [] : [value];
  }
  return Object.entries(headers as Readonly<Record<string, string | readonly string[] | undefined>>)
    .filter(([name]) => name.toLowerCase() === wanted)
    .flatMap(([, value]) => value ?? []);
}

/** Names and values alternate. */
const countRaw = (raw: readonly string[] | undefined): number =>
  (raw ?? []).filter((name, index) => index % 2 === 0 && name.toLowerCase() === NAME).length;

function hasTokenInQuery(url: string | undefined): boolean {
  const at = url?.indexOf('?') ?? -1;
  return url !== undefined && at >= 0 && new URLSearchParams(url.slice(at + 1)).has('access_token');
}
