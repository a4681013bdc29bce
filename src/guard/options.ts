/** The options of a guard, and their bounds. */
import { CERTIFICATE_FORMS, type CertificateForm } from './certificate.ts';
import { type CertificateRules, type CertificateSource, certificateInHeader } from './certificate-binding.ts';
import type { ClaimsSchema } from './claims.ts';
import { type DpopRules, proofsInMemory, type UsedProof } from './dpop.ts';
import type { ClientAuthentication, IntrospectionRules } from './introspection.ts';
import type { KeyTimes } from './keys.ts';
import type { AccessTokenClaims, Refused, Unavailable } from './outcome.ts';
import type { GuardedRequest, Scheme } from './request.ts';

/** @template Claims the output of `claims`. */
export type GuardOptions<Claims = unknown> = {
  /** The issuer of the authorization server, byte for byte as in its tokens. */
  readonly issuer: string;
  /** The identifier of this API in the authorization server (resources.yaml): the `aud` of its tokens. */
  readonly resource: string;
  /**
   * All scopes of this API, for its metadata. With them, a check that names another scope is a mistake of the program.
   */
  readonly scopes?: readonly string[];
  /** Default: the URL in the metadata of the issuer (RFC 8414). */
  readonly jwksUri?: string;
  /** Default: ES256, RS256 and EdDSA. The guard accepts only asymmetric algorithms. */
  readonly algorithms?: readonly string[];
  /** The maximum difference between the clocks of both machines. 0 to 300. Default: 5. */
  readonly clockToleranceSeconds?: number;
  /** The longest token, in characters. 256 to 65536. Default: 8192. */
  readonly maxTokenLength?: number;
  readonly keys?: {
    /**
     * The age at which the guard fetches keys again. It trusts a withdrawn key for no longer. 1 to 86400. Default: 600.
     */
    readonly maxAgeSeconds?: number;
    /** The minimum between two fetches because of unknown key ids. 0 to 3600. Default: 10. */
    readonly cooldownSeconds?: number;
    /**
     * The maximum age of keys while the issuer is unavailable. 0 to 86400. Default: 3600, the longest lifetime of a
     * token.
     */
    readonly staleSeconds?: number;
    /** For each request to the issuer. 1 to 60000. Default: 5000. */
    readonly timeoutMilliseconds?: number;
  };
  /** Also asks the issuer, so that the guard rejects a revoked token immediately (RFC 7662). */
  readonly introspection?: {
    /** A client of the issuer that `introspectedBy` of the resource names. */
    readonly clientId: string;
    readonly clientSecret: string;
    /** The registered method. Default: client_secret_basic. */
    readonly authentication?: ClientAuthentication;
    /** Default: the URL in the metadata of the issuer. */
    readonly endpoint?: string;
    /** After this, the guard answers the request with 503. 1 to 60000. Default: 3000. */
    readonly timeoutMilliseconds?: number;
    /**
     * The time for which the guard reuses an answer, and for which it may still accept a revoked token. 0 to 60.
     * Default: 0.
     */
    readonly cacheSeconds?: number;
  };
  /** Clients show it to users (RFC 9728 §2). */
  readonly name?: string;
  /** A page for developers (RFC 9728 §2). */
  readonly documentation?: string;
  /**
   * Accepts tokens that are bound to a key by DPoP (RFC 9449), each with a proof of that key. Without it, and without
   * `proof`, the guard rejects bound tokens. `{}` suffices for an API of one process.
   */
  readonly dpop?: {
    /**
     * The origin of the URLs that clients request, such as `https://api.example.com`. Default: that of `resource`.
     */
    readonly origin?: string;
    /**
     * Whether a proof is used for the first time. It has to answer yes once for each id, until `endsAt`, in all
     * processes of the API. An error becomes 503. Default: the memory of this process.
     */
    readonly isFirstUse?: (proof: UsedProof) => boolean | Promise<boolean>;
    /** Proofs in the memory of this process: about 80 seconds of requests. 1 to 10000000. Default: 200000. */
    readonly maxProofs?: number;
  };
  /**
   * Where the TLS client certificate of a request comes from. With it, the guard accepts tokens that are bound to a
   * certificate (RFC 8705 §3), each on a connection with that certificate. A header proves something only where a proxy
   * of yours replaces it in each request, and nothing else reaches the API. Where the API ends TLS itself, pass a
   * function: `(request) => request.socket.getPeerCertificate().raw`.
   */
  readonly certificate?: CertificateSource;
  /**
   * Your own check that the sender holds the key to which a token is bound: `cnf` (RFC 7800), where neither `dpop` nor
   * `certificate` checks it. Without it, the guard rejects bound tokens, because it cannot distinguish their holder from a thief.
   * With it, the guard accepts the scheme `DPoP` too. @returns whether the proof is valid. An error becomes 503.
   */
  readonly proof?: (presented: Presented) => boolean | Promise<boolean>;
  /**
   * The schema of the claims that this API uses, such as roles, by zod or any library with Standard Schema. Handlers get
   * its output in `access.claims`. The guard rejects a token whose claims do not match, after every other check of it.
   */
  readonly claims?: ClaimsSchema<Claims>;
  /** Called for every outcome but `granted`, for the log of the API. An error of it changes no outcome. */
  readonly onRefusal?: (outcome: Refused | Unavailable, request: GuardedRequest) => unknown;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** The time. Default: the clock of this machine. */
  readonly now?: () => Date;
};

/** A token that is valid except for the proof. */
export type Presented = {
  readonly request: GuardedRequest;
  readonly scheme: Scheme;
  readonly token: string;
  readonly claims: AccessTokenClaims;
  /** `cnf` of the token (RFC 7800 §3). */
  readonly confirmation: Readonly<Record<string, unknown>>;
};

export type GuardRules = {
  readonly issuer: string;
  readonly resource: string;
  readonly scopes: readonly string[] | null;
  readonly algorithms: readonly string[];
  readonly clockToleranceSeconds: number;
  readonly maxTokenLength: number;
  readonly keys: KeyTimes;
  readonly introspection: IntrospectionRules | null;
  readonly dpop: DpopRules | null;
  readonly certificate: CertificateRules | null;
};

const DEFAULT_ALGORITHMS = ['ES256', 'RS256', 'EdDSA'];
/** RFC 7518 §3.1, RFC 8037, RFC 9864: none with a shared secret, and not `none`. */
const ASYMMETRIC: ReadonlySet<string> = new Set([
  ...['ES256', 'ES384', 'ES512', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'EdDSA', 'Ed25519'],
]);

/**
 * @param now milliseconds since 1970.
 * @throws TypeError that names the expected and the found value, without secrets.
 */
export function rulesOf(options: GuardOptions, now: () => number = Date.now): GuardRules {
  const { issuer, resource, scopes, algorithms = DEFAULT_ALGORITHMS, keys = {}, introspection, claims } = options;
  demand(isHttpUrl(issuer) && !/[?#]/.test(issuer), 'issuer', 'the URL of the authorization server', issuer);
  demand(isIdentifier(resource), 'resource', 'an absolute URI without a fragment', resource);
  demand(options.jwksUri === undefined || isHttpUrl(options.jwksUri), 'jwksUri', 'a URL', options.jwksUri);
  demand(
    Array.isArray(algorithms) && algorithms.length > 0 && algorithms.every((one) => ASYMMETRIC.has(one)),
    'algorithms',
    `a list of ${[...ASYMMETRIC].join(', ')}`,
    algorithms,
  );
  demand(scopes === undefined || areScopes(scopes), 'scopes', 'a list of scopes', scopes);
  const isSchema = typeof claims?.['~standard']?.validate === 'function';
  demand(claims === undefined || isSchema, 'claims', 'a schema with the interface Standard Schema', typeof claims);
  return {
    issuer,
    resource,
    scopes: scopes ?? null,
    algorithms,
    clockToleranceSeconds: bounded('clockToleranceSeconds', options.clockToleranceSeconds, 5, 0, 300),
    maxTokenLength: bounded('maxTokenLength', options.maxTokenLength, 8192, 256, 65_536),
    keys: {
      maxAgeSeconds: bounded('keys.maxAgeSeconds', keys.maxAgeSeconds, 600, 1, 86_400),
      cooldownSeconds: bounded('keys.cooldownSeconds', keys.cooldownSeconds, 10, 0, 3600),
      staleSeconds: bounded('keys.staleSeconds', keys.staleSeconds, 3600, 0, 86_400),
      timeoutMilliseconds: bounded('keys.timeoutMilliseconds', keys.timeoutMilliseconds, 5000, 1, 60_000),
    },
    introspection: introspection === undefined ? null : introspectionRules(introspection),
    dpop: options.dpop === undefined ? null : dpopRules(options.dpop, resource, now),
    certificate: options.certificate === undefined ? null : certificateRules(options.certificate),
  };
}

function certificateRules(given: CertificateSource): CertificateRules {
  if (typeof given === 'function') return given;
  const { header, form } = Object(given) as { readonly header?: unknown; readonly form?: CertificateForm };
  demand(
    isText(header) && /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(header),
    'certificate.header',
    'the name of a header',
    header,
  );
  demand(
    form !== undefined && CERTIFICATE_FORMS.includes(form),
    'certificate.form',
    CERTIFICATE_FORMS.join(' or '),
    form,
  );
  return certificateInHeader(header.toLowerCase(), form);
}

function dpopRules(given: NonNullable<GuardOptions['dpop']>, resource: string, now: () => number): DpopRules {
  const { origin = isHttpUrl(resource) ? new URL(resource).origin : undefined, isFirstUse } = given;
  const isOrigin = isHttpUrl(origin) && new URL(origin).origin === origin;
  demand(isOrigin, 'dpop.origin', 'the origin of the URLs of this API, such as https://api.example.com', origin);
  const isAsked = isFirstUse === undefined || typeof isFirstUse === 'function';
  demand(isAsked, 'dpop.isFirstUse', 'a function', typeof isFirstUse);
  const maximum = bounded('dpop.maxProofs', given.maxProofs, 200_000, 1, 10_000_000);
  return { origin: String(origin), isFirstUse: isFirstUse ?? proofsInMemory(maximum, now) };
}

function introspectionRules(given: NonNullable<GuardOptions['introspection']>): IntrospectionRules {
  const { clientId, clientSecret, authentication = 'client_secret_basic', endpoint } = given;
  demand(isText(clientId), 'introspection.clientId', 'the client_id of this API', clientId);
  if (!isText(clientSecret))
    throw new TypeError('The guard needs introspection.clientSecret: the secret of its client.');
  demand(
    authentication === 'client_secret_basic' || authentication === 'client_secret_post',
    'introspection.authentication',
    'client_secret_basic or client_secret_post',
    authentication,
  );
  demand(endpoint === undefined || isHttpUrl(endpoint), 'introspection.endpoint', 'a URL', endpoint);
  const { timeoutMilliseconds, cacheSeconds } = given;
  return {
    clientId,
    clientSecret,
    authentication,
    timeoutMilliseconds: bounded('introspection.timeoutMilliseconds', timeoutMilliseconds, 3000, 1, 60_000),
    cacheSeconds: bounded('introspection.cacheSeconds', cacheSeconds, 0, 0, 60),
  };
}

function demand(holds: boolean, name: string, expected: string, found: unknown): asserts holds {
  if (!holds)
    throw new TypeError(`The guard needs ${name}: ${expected}. Found: ${JSON.stringify(found) ?? 'nothing'}.`);
}

function bounded(name: string, given: number | undefined, otherwise: number, from: number, to: number): number {
  const value = given ?? otherwise;
  demand(Number.isFinite(value) && value >= from && value <= to, name, `a number from ${from} to ${to}`, given);
  return value;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.length > 0;

const isHttpUrl = (value: unknown): value is string =>
  isText(value) && /^https?:\/\//.test(value) && URL.canParse(value);

/** The value stands in a quoted string of the challenge, so it has neither quotes nor backslashes nor controls. */
const isIdentifier = (value: unknown): value is string =>
  isText(value) && URL.canParse(value) && /^[\x21\x24-\x5b\x5d-\x7e]+$/.test(value);

/** RFC 6749 §3.3. */
const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

export const areScopes = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string' && SCOPE_TOKEN.test(one));
