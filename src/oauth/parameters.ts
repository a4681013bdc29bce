/**
 * Request parameters by the rules of the standards. RFC 6749 §3.1, §3.2: parameters MUST NOT be included more than
 * once, parameters without a value MUST be treated as if omitted, and unknown ones MUST be ignored, even repeated ones.
 */
export type Parameters<Name extends string> = {
  readonly get: (name: Name) => string | null;
  /** A request may contain several `resource` parameters (RFC 8707 §2). */
  readonly getAll: (name: Name) => readonly string[];
};

export type ParameterProblem = {
  readonly reason: 'malformed_body' | 'too_many_parameters' | 'repeated_parameter' | 'malformed_parameter';
  /** The parameter's name. Null: the problem concerns the whole request. Never a value. */
  readonly parameter: string | null;
  /** The problem, in words. */
  readonly detail: string;
};

/** Despite a problem, the caller can read the valid parameters, which it needs to send the error to the client. */
export type ParameterReading<Name extends string> = {
  readonly problem: ParameterProblem | null;
  readonly parameters: Parameters<Name>;
};

/** RFC 7523 §2.2: the `client_assertion_type` of a JWT. */
export const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** OAuth SPIFFE Client Authentication §3.1, of an Internet-Draft: the `client_assertion_type` of a JWT-SVID. */
export const JWT_SPIFFE = 'urn:ietf:params:oauth:client-assertion-type:jwt-spiffe';

/** In characters. The server rejects longer values before they reach the database. */
const MAX_LENGTH: Readonly<Record<string, number>> = {
  // The response of an authenticator, as JSON. With a long attestation, it has a few thousand characters.
  credential: 16_384,
  state: 4096,
  redirect_uri: 2048,
  post_logout_redirect_uri: 2048,
  scope: 4096,
  resource: 512,
  id_token_hint: 8192,
  token: 16_384,
  // A JWT, whose header may have the certificates of its key.
  client_assertion: 8192,
  // A JWT with all of these, in base64url. A request by POST is repeated as a URL, which has to fit into a header.
  request: 12_288,
};
const MAX_OTHER_LENGTH = 1024;
const REPEATABLE = new Set(['resource']);

/** Known and unknown ones. More than any request of the standards has, with a `resource` for each API. */
export const MAX_PARAMETERS = 100;

export function parseParameters<Name extends string>(encoded: string, known: readonly Name[]): ParameterReading<Name> {
  const pairs = encoded.split('&').filter((pair) => pair !== '');
  // The server reads none of them, so that no code acts on a part of a request.
  if (pairs.length > MAX_PARAMETERS) return TOO_MANY;
  const values = new Map<string, string[]>();
  const counts = new Map<string, number>();
  const problems: ParameterProblem[] = [];
  const names: readonly string[] = known;
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    const name = decode(at < 0 ? pair : pair.slice(0, at));
    if (name === null || !names.includes(name)) continue;
    // A client may send only ASCII unencoded: the charset of other bytes is unknown.
    const value = /[\u0080-\uffff]/.test(pair) ? null : decode(at < 0 ? '' : pair.slice(at + 1));
    const detail = value === null ? 'is not percent-encoded UTF-8' : whatIsWrong(name, value);
    if (detail !== null) problems.push({ reason: 'malformed_parameter', parameter: name, detail });
    else if (value) values.get(name)?.push(value) ?? values.set(name, [value]);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  for (const [name, count] of counts) {
    if (count > 1 && !REPEATABLE.has(name)) {
      problems.unshift({ reason: 'repeated_parameter', parameter: name, detail: 'is repeated' });
    }
  }
  const wrong = new Set(problems.map(({ parameter }) => parameter));
  const parameters: Parameters<Name> = {
    // A parameter with a problem has no value, so that no code acts on one of two repeated values.
    get: (name) => (wrong.has(name) ? null : (values.get(name)?.[0] ?? null)),
    getAll: (name) => (wrong.has(name) ? [] : (values.get(name) ?? [])),
  };
  const [problem] = problems;
  return { problem: problem ?? null, parameters };
}

const TOO_MANY: ParameterReading<string> = {
  problem: {
    reason: 'too_many_parameters',
    parameter: null,
    detail: `has more than ${MAX_PARAMETERS} parameters`,
  },
  parameters: { get: () => null, getAll: () => [] },
};

function whatIsWrong(name: string, value: string): string | null {
  if (value.includes('\0')) return 'has the character U+0000';
  const max = MAX_LENGTH[name] ?? MAX_OTHER_LENGTH;
  return value.length > max ? `is longer than ${max} characters` : null;
}

/** The parameters as a query, for a request that the browser repeats by GET. */
export function asQuery<Name extends string>(parameters: Parameters<Name>, names: readonly Name[]): string {
  const query = new URLSearchParams();
  for (const name of names) for (const value of parameters.getAll(name)) query.append(name, value);
  return query.toString();
}

/** Decodes application/x-www-form-urlencoded strictly. @returns null for a broken escape or broken UTF-8. */
export function decode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}
