/** The guard of an API, without a framework: one check for a request, one outcome. */
import { readAccessToken } from './access-token.ts';
import { validClaims } from './claims.ts';
import { discovery } from './discovery.ts';
import { DPOP_ALGORITHMS } from './dpop.ts';
import { introspection } from './introspection.ts';
import { jsonRequests } from './json-request.ts';
import { keySource } from './keys.ts';
import { type ResourceMetadata, resourceMetadata } from './metadata.ts';
import { type Needs, needsProblem, signInProblem } from './needs.ts';
import { type GuardOptions, rulesOf } from './options.ts';
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
import { possessionProblem } from './possession.ts';
import { credentialsOf, type GuardedRequest, type Scheme } from './request.ts';

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

  const problemOf = (needs: Needs): string | null => needsProblem(needs, rules);

  const judged = async (request: GuardedRequest, needs: Needs): Promise<Outcome<Claims>> => {
    const problem = problemOf(needs);
    if (problem !== null) return unavailable('internal', `the needs of a request: ${problem}`, INTERNAL_RETRY_SECONDS);
    const credentials = credentialsOf(request, schemes, rules.maxTokenLength);
    const isPresented = credentials.kind === 'token' && credentials.scheme === 'dpop';
    const { scopes, acrValues = null, maxAgeSeconds = null } = needs;
    const challenge = {
      scopes,
      metadataUrl: metadata.url,
      dpop: dpop && { algorithms: DPOP_ALGORITHMS, isPresented },
      signIn: { acrValues, maxAgeSeconds },
    };
    const refuse = (reason: RefusalReason, missing: readonly string[] = []) => refused(reason, challenge, missing);

    if (credentials.kind !== 'token') return refuse(REFUSED_CREDENTIALS[credentials.kind]);
    const { token, scheme } = credentials;
    const reading = await readAccessToken(tokenRules, keys, token);
    if (reading.kind === 'unavailable') return unavailable('keys', reading.detail, reading.retryAfterSeconds);
    if (reading.kind === 'invalid') return refuse(reading.reason);
    const { claims } = reading;
    const unproven = await possessionProblem(rules, proof, { request, scheme, token, claims }, milliseconds()).catch(
      (error: unknown) =>
        unavailable('proof', `the check of the proof failed (${nameOf(error)})`, INTERNAL_RETRY_SECONDS),
    );
    if (typeof unproven === 'string') return refuse(unproven);
    if (unproven !== null) return unproven;
    // Without a schema, `Claims` promises nothing.
    const typed = schema === undefined ? (claims as AccessTokenClaims & Claims) : await validClaims(schema, claims);
    if (typed === null) return refuse('claims_refused');

    const inToken = wordsOf(claims.scope);
    const missing = without(scopes, inToken);
    if (missing.length > 0) return refuse('scope_missing', missing);
    const insufficient = signInProblem(claims, needs, rules, milliseconds());
    if (insufficient !== null) return refuse(insufficient);
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

const wordsOf = (scope: string | undefined): readonly string[] => [
  ...new Set((scope ?? '').split(' ').filter((one) => one.length > 0)),
];

const without = (required: readonly string[], had: readonly string[]): readonly string[] =>
  required.filter((one) => !had.includes(one));

/** Without the message, which may quote the input. */
const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);
