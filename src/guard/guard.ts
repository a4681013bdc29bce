/** The guard of an API, without a framework: one check for a request, one outcome. */
import { readAccessToken } from './access-token.ts';
import { certificateProblem } from './certificate-binding.ts';
import { validClaims } from './claims.ts';
import { discovery } from './discovery.ts';
import { DPOP_ALGORITHMS, dpopProblem } from './dpop.ts';
import { introspection } from './introspection.ts';
import { jsonRequests, objectOf } from './json-request.ts';
import { keySource } from './keys.ts';
import { type ResourceMetadata, resourceMetadata } from './metadata.ts';
import { areScopes, type GuardOptions, rulesOf } from './options.ts';
import {
  type AccessTokenClaims,
  granted,
  type Outcome,
  type RefusalReason,
  type Refused,
  refused,
  type Unavailable,
  unavailable,
} from './outcome.ts';
import { credentialsOf, type GuardedRequest, type Scheme } from './request.ts';

/** The needs of a request. */
export type Needs = {
  /** All of these. Empty: any token for this API. */
  readonly scopes: readonly string[];
  /** Whether the guard also asks the server. Default: yes, where the guard has `introspection`. */
  readonly introspect?: boolean | undefined;
  /**
   * The classes of sign-in of which any is enough (`acr`), the preferred first. List all that are strong enough: their
   * names give the guard no order. Default: any sign-in, and tokens without an end-user. RFC 9470 §3.
   */
  readonly acrValues?: readonly string[] | undefined;
  /** The maximum age of the sign-in (`auth_time`). Default: no limit. */
  readonly maxAgeSeconds?: number | undefined;
};

/** @template Claims the claims that the schema of the API promises. */
export type Guard<Claims = unknown> = {
  /** Never throws and never rejects, for any request and any answer of the server. */
  readonly check: (request: GuardedRequest, needs: Needs) => Promise<Outcome<Claims>>;
  /** Serve it at `path`, without credentials (RFC 9728 §3). */
  readonly metadata: ResourceMetadata;
  /** @returns the problem with the needs of a route, for the start of the API. Null: none. */
  readonly problemOf: (needs: Needs) => string | null;
};

const REFUSED_CREDENTIALS: Readonly<Record<'none' | 'several' | 'malformed' | 'too_long', RefusalReason>> = {
  none: 'no_credentials',
  several: 'more_than_one_method',
  malformed: 'malformed_credentials',
  too_long: 'token_too_long',
};

const INTROSPECTION_RETRY_SECONDS = 1;
const INTERNAL_RETRY_SECONDS = 5;

/** @throws TypeError when the options are invalid: a mistake of the program, found when it starts. */
export function createGuard<Claims = unknown>(options: GuardOptions<Claims>): Guard<Claims> {
  const { proof, claims: schema, onRefusal, now = () => new Date(), fetch = globalThis.fetch } = options;
  const milliseconds = () => now().getTime();
  const rules = rulesOf(options, milliseconds);
  const { issuer, resource, dpop, certificate } = rules;
  const ask = jsonRequests((...request) => fetch(...request));
  const { jwksUri, introspection: asked } = options;
  const given = {
    ...(jwksUri !== undefined && { jwks_uri: jwksUri }),
    ...(asked?.endpoint !== undefined && { introspection_endpoint: asked.endpoint }),
  };
  const endpoints = discovery(ask, issuer, given, rules.keys.timeoutMilliseconds);
  const keys = keySource(ask, endpoints, rules.keys, milliseconds);
  const server = rules.introspection && introspection(ask, endpoints, rules.introspection, milliseconds);
  const metadata = resourceMetadata({
    issuer,
    resource,
    scopes: rules.scopes ?? [],
    dpop: dpop && DPOP_ALGORITHMS,
    certificates: certificate !== null,
    name: options.name,
    documentation: options.documentation,
  });
  const schemes: ReadonlySet<Scheme> = new Set(proof === undefined && dpop === null ? ['bearer'] : ['bearer', 'dpop']);
  const tokenRules = { ...rules, now: milliseconds };

  const problemOf = (needs: Needs): string | null => {
    const scopes: unknown = Object(needs)['scopes'];
    if (!areScopes(scopes)) return 'it has to name its scopes as a list; an empty list lets in any token for this API';
    const unknown = scopes.filter((one) => rules.scopes !== null && !rules.scopes.includes(one));
    if (unknown.length > 0)
      return `the scopes of this API are ${rules.scopes?.join(', ')}; found: ${unknown.join(', ')}`;
    const { acrValues, maxAgeSeconds } = needs;
    if (acrValues !== undefined && !(areScopes(acrValues) && acrValues.length > 0))
      return 'acrValues has to be a list of classes, none of which has a space or a quote';
    if (maxAgeSeconds !== undefined && !(Number.isSafeInteger(maxAgeSeconds) && maxAgeSeconds >= 0))
      return 'maxAgeSeconds has to be a whole number of seconds';
    return needs.introspect === true && server === null
      ? 'it asks for introspection, which the options of this guard do not include'
      : null;
  };

  /** Null: the sender is the holder, as far as the token shows. */
  const proofProblem = async (
    request: GuardedRequest,
    scheme: Scheme,
    token: string,
    claims: AccessTokenClaims,
  ): Promise<RefusalReason | Unavailable | null> => {
    const { cnf } = claims;
    if (cnf === undefined && scheme === 'bearer') return null;
    if (proof === undefined && dpop === null && certificate === null) return 'proof_missing';
    const confirmation = objectOf(cnf);
    if (confirmation === null) return 'proof_refused';
    const boundToDpop = confirmation['jkt'] !== undefined;
    // RFC 9449 §7.2: a token that is bound by `jkt` is never a bearer token. §7.1: a token under the DPoP scheme must
    // be bound.
    if (boundToDpop !== (scheme === 'dpop')) return boundToDpop ? 'proof_missing' : 'proof_refused';
    try {
      const { jkt, 'x5t#S256': x5t, ...others } = confirmation;
      const byCertificate = certificate !== null && x5t !== undefined;
      const byDpop = dpop !== null && boundToDpop;
      // The certificate first: a proof passes once.
      const problem =
        (byCertificate ? await certificateProblem(certificate, request, x5t) : null) ??
        (byDpop ? await dpopProblem(dpop, request, { token, jkt, now: milliseconds() }) : null);
      if (problem !== null) return problem;
      const isWhole =
        byDpop === boundToDpop && byCertificate === (x5t !== undefined) && Object.keys(others).length === 0;
      if (isWhole && (byDpop || byCertificate)) return null;
      if (proof === undefined) return 'proof_missing';
      const isGood = await proof({ request, scheme, token, claims, confirmation });
      return isGood === true ? null : 'proof_refused';
    } catch (error) {
      return unavailable('proof', `the check of the proof failed (${nameOf(error)})`, INTERNAL_RETRY_SECONDS);
    }
  };

  const judged = async (request: GuardedRequest, needs: Needs): Promise<Outcome<Claims>> => {
    const problem = problemOf(needs);
    if (problem !== null) return unavailable('internal', `the needs of a request: ${problem}`, INTERNAL_RETRY_SECONDS);
    const { scopes, acrValues = null, maxAgeSeconds = null } = needs;
    const signIn = { acrValues, maxAgeSeconds };
    const credentials = credentialsOf(request, schemes, rules.maxTokenLength);
    const isPresented = credentials.kind === 'token' && credentials.scheme === 'dpop';
    const challenge = dpop && { algorithms: DPOP_ALGORITHMS, isPresented };
    const refuse = (reason: RefusalReason, missing: readonly string[] = []) =>
      refused(reason, { scopes, metadataUrl: metadata.url, dpop: challenge, signIn }, missing);

    if (credentials.kind !== 'token') return refuse(REFUSED_CREDENTIALS[credentials.kind]);
    const { token, scheme } = credentials;
    const reading = await readAccessToken(tokenRules, keys, token);
    if (reading.kind === 'unavailable') return unavailable('keys', reading.detail, reading.retryAfterSeconds);
    if (reading.kind === 'invalid') return refuse(reading.reason);
    const { claims } = reading;
    const unproven = await proofProblem(request, scheme, token, claims);
    if (typeof unproven === 'string') return refuse(unproven);
    if (unproven !== null) return unproven;
    // Without a schema, `Claims` promises nothing.
    const typed = schema === undefined ? (claims as AccessTokenClaims & Claims) : await validClaims(schema, claims);
    if (typed === null) return refuse('claims_refused');

    const inToken = wordsOf(claims.scope);
    const missing = without(scopes, inToken);
    if (missing.length > 0) return refuse('scope_missing', missing);
    const { acr, auth_time: signedInAt } = claims;
    if (acrValues !== null && !(typeof acr === 'string' && acrValues.includes(acr))) return refuse('sign_in_too_weak');
    if (maxAgeSeconds !== null && !isWithin(signedInAt, maxAgeSeconds + rules.clockToleranceSeconds, milliseconds()))
      return refuse('sign_in_too_old');
    const access = { subject: claims.sub, clientId: claims.client_id, scopes: inToken, claims: typed };
    if (server === null || needs.introspect === false) return granted(access);

    const answer = await server.ask(token, claims.jti);
    if (answer.kind === 'unavailable') return unavailable('introspection', answer.detail, INTROSPECTION_RETRY_SECONDS);
    if (answer.kind === 'inactive') return refuse('token_inactive');
    const confirmed = inToken.filter((one) => answer.scopes.includes(one));
    const lost = without(scopes, confirmed);
    return lost.length > 0 ? refuse('scope_missing', lost) : granted({ ...access, scopes: confirmed });
  };

  return {
    metadata,
    problemOf,
    check: async (request, needs) => {
      // The code above throws for no input of a caller. An unforeseen error lets no caller in.
      const outcome = await judged(request, needs).catch((error: unknown) =>
        unavailable('internal', `the check failed (${nameOf(error)})`, INTERNAL_RETRY_SECONDS),
      );
      if (outcome.kind !== 'granted') void report(onRefusal, outcome, request);
      return outcome;
    },
  };
}

/** @throws TypeError when a route has invalid needs, so that the API does not start. */
export function demandNeeds(guard: Pick<Guard, 'problemOf'>, needs: Needs): void {
  const problem = guard.problemOf(needs);
  if (problem !== null) throw new TypeError(`The needs of a request: ${problem}.`);
}

/** An API may write its log asynchronously: the caller does not wait. */
async function report(
  onRefusal: GuardOptions['onRefusal'],
  outcome: Refused | Unavailable,
  request: GuardedRequest,
): Promise<void> {
  try {
    await onRefusal?.(outcome, request);
  } catch {
    // The caller gets the outcome, whatever becomes of the log.
  }
}

/** @param signedInAt seconds since 1970, from the token. @param now milliseconds since 1970 */
const isWithin = (signedInAt: unknown, seconds: number, now: number): boolean =>
  typeof signedInAt === 'number' && now / 1000 - signedInAt <= seconds;

const wordsOf = (scope: string | undefined): readonly string[] => [
  ...new Set((scope ?? '').split(' ').filter((one) => one.length > 0)),
];

const without = (required: readonly string[], had: readonly string[]): readonly string[] =>
  required.filter((one) => !had.includes(one));

/** Without the message, which may quote the input. */
const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);
