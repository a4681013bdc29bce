// biome-ignore-all lint/suspicious/noTemplateCurlyInString: lines of the source, as they stand there.
/** Mutants of src/guard that no test can or should notice; their shape is in explained.ts. */

const ONE_OF_THREE = 'The caller asks for the other kinds, and what is neither is this.';
const COMPILER = 'Such a value is refused by what comes next; the compiler does not know it.';
const NO_SCHEME = 'No scheme is called so: there are no credentials, as without a header.';
const ONLY_MEMORY = 'It only saves memory: what is out of time is never taken again.';

export const explainedOfGuard = [
  {
    file: 'src/guard/access-token.ts',
    source: "if (typeof alg !== 'string' || !rules.algorithms.includes(alg)) return invalid('other_algorithm');",
    replacements: ['false'],
    why: 'No list of algorithms has anything but texts; the type is there for the compiler.',
  },
  {
    file: 'src/guard/access-token.ts',
    source: "requiredClaims: ['exp', 'iat'],",
    replacements: ['[]'],
    why: 'SHAPE asks for both claims, with the same reason; jose is asked as well.',
  },
  {
    file: 'src/guard/access-token.ts',
    source: "return { kind: 'valid', claims: payload as AccessTokenClaims };",
    replacements: ['""'],
    why: ONE_OF_THREE,
  },
  {
    file: 'src/guard/access-token.ts',
    source: "ERR_JOSE_ALG_NOT_ALLOWED: 'other_algorithm',",
    replacements: ['""'],
    why: 'The algorithm is looked at before jose is asked, which gets the same list.',
  },
  {
    file: 'src/guard/discovery.ts',
    source: "if (answer.kind === 'failed') return answer.detail;",
    replacements: ['""'],
    why: 'A failed answer has no value, which is no metadata either.',
  },
  ...["? { kind: 'found', url: value }", "if (own !== undefined) return { kind: 'found', url: own };"].map(
    (source) => ({
      file: 'src/guard/discovery.ts',
      source,
      replacements: ['""'],
      why: 'Those who ask look for the kind that failed.',
    }),
  ),
  {
    file: 'src/guard/discovery.ts',
    source: "if (heard === null) return { kind: 'failed', detail: failure ?? `GET ${url}: no answer yet` };",
    replacements: ['``'],
    why: 'Where nothing was heard, something failed; the compiler does not know it.',
  },
  {
    file: 'src/guard/fastify.ts',
    source: 'for (const scope of config.scopes ?? []) scopesOfRoutes.add(scope);',
    replacements: ['["Stryker was here"]'],
    why: 'A route without scopes was refused in the line before.',
  },
  {
    file: 'src/guard/fastify.ts',
    source: 'const { scopes = [], introspect, acrValues, maxAgeSeconds } = config;',
    replacements: ['["Stryker was here"]'],
    why: 'A route without scopes was refused in the line before.',
  },
  {
    file: 'src/guard/fastify.ts',
    source: "(config.scopes === undefined && methods.length > 0 && methods.every((method) => method === 'OPTIONS'));",
    replacements: ['true', 'methods.length >= 0'],
    why: 'Fastify has no route without a method.',
  },
  {
    file: 'src/guard/guard.ts',
    source: '...(jwksUri !== undefined && { jwks_uri: jwksUri }),',
    replacements: ['true'],
    why: 'An address that is undefined counts as not given.',
  },
  {
    file: 'src/guard/needs.ts',
    source:
      "if (unknown.length > 0) return `the scopes of this API are ${rules.scopes?.join(', ')}; found: ${unknown.join(', ')}`;",
    replacements: ['rules.scopes.join'],
    why: 'A scope is unknown only where there is a list; the compiler does not know it.',
  },
  {
    file: 'src/guard/needs.ts',
    source:
      "if (acrValues !== undefined && !(typeof acr === 'string' && acrValues.includes(acr))) return 'sign_in_too_weak';",
    replacements: ['true'],
    why: 'No list of classes has anything but texts; the type is there for the compiler.',
  },
  {
    file: 'src/guard/introspection.ts',
    source: "if (endpoint.kind === 'failed') return { kind: 'unavailable', detail: endpoint.detail };",
    replacements: ['""'],
    why: COMPILER,
  },
  {
    file: 'src/guard/introspection.ts',
    source: 'remembered.delete(id);',
    replacements: [';'],
    why: 'What is asked again replaces it; only its place among the oldest differs.',
  },
  {
    file: 'src/guard/introspection.ts',
    source: "if (rules.cacheSeconds === 0 || answer.kind === 'unavailable') return;",
    replacements: ['false'],
    why: ONLY_MEMORY,
  },
  {
    file: 'src/guard/introspection.ts',
    source: 'if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);',
    replacements: ['true'],
    why: 'Where there are so many, there is an oldest; the compiler does not know it.',
  },
  {
    file: 'src/guard/introspection.ts',
    source: "return { kind: 'active', scopes: typeof scope === 'string' ? scope.split(' ') : [] };",
    replacements: ['""', '["Stryker was here"]'],
    why: 'The guard asks for the other kinds, and keeps of these scopes those that the token has.',
  },
  {
    file: 'src/guard/json-request.ts',
    source: "timeout.addEventListener('abort', () => resolve(failed(`no answer within ${timeoutMilliseconds} ms`)), {",
    replacements: ['{}'],
    why: 'A timeout comes once.',
  },
  { file: 'src/guard/json-request.ts', source: 'once: true,', replacements: ['false'], why: 'A timeout comes once.' },
  {
    file: 'src/guard/json-request.ts',
    source: "if (response.body === null) return '';",
    replacements: ['"Stryker was here!"'],
    why: 'Neither text is JSON.',
  },
  {
    file: 'src/guard/json-request.ts',
    source:
      "typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;",
    replacements: ['true'],
    why: 'Null is the answer for null either way.',
  },
  {
    file: 'src/guard/keys.ts',
    source: 'if (instant === null) return false;',
    replacements: ['false'],
    why: 'All the time since 1970 is longer than any of these times.',
  },
  {
    file: 'src/guard/keys.ts',
    source: "const keys = answer.kind === 'json' ? signingKeysIn(answer.value) : [];",
    replacements: ['true'],
    why: 'An answer that failed has no value, which has no keys.',
  },
  {
    file: 'src/guard/keys.ts',
    source: 'load().catch(() => {',
    replacements: ['{}'],
    why: 'Nothing in it rejects, as far as we know.',
  },
  {
    file: 'src/guard/keys.ts',
    source: "failure = 'the keys are not readable';",
    replacements: ['""'],
    why: 'Nothing in it rejects, as far as we know.',
  },
  {
    file: 'src/guard/keys.ts',
    source: "detail: failure ?? 'the keys could not be fetched',",
    replacements: ['""'],
    why: 'Where keys are missing, a fetch has failed; the compiler does not know it.',
  },
  ...[
    "if (key !== null) return { kind: 'found', key };",
    "if (newer !== null) return { kind: 'found', key: newer };",
  ].map((source) => ({ file: 'src/guard/keys.ts', source, replacements: ['""'], why: ONE_OF_THREE })),
  {
    file: 'src/guard/keys.ts',
    source: 'if (kept === null) return null;',
    replacements: ['false'],
    why: 'To pick from nothing throws, and whatever throws there means: no key.',
  },
  {
    file: 'src/guard/keys.ts',
    source: 'return await kept.pick({ alg, ...(kid !== undefined && { kid }) });',
    replacements: ['true'],
    why: 'jose treats an id that is undefined as none.',
  },
  {
    file: 'src/guard/request.ts',
    source: "if (value === undefined) return { kind: 'none' };",
    replacements: ['false'],
    why: NO_SCHEME,
  },
  {
    file: 'src/guard/request.ts',
    source: "const [prefix = '', name = ''] = SCHEME.exec(value) ?? [];",
    replacements: ['"Stryker was here!"', '["Stryker was here"]'],
    why: NO_SCHEME,
  },
  {
    file: 'src/guard/request.ts',
    source: 'return value === null ? [] : [value];',
    replacements: ['false', '["Stryker was here"]'],
    why: NO_SCHEME,
  },
  {
    file: 'src/guard/request.ts',
    source: '.flatMap(([, value]) => value ?? []);',
    replacements: ['["Stryker was here"]'],
    why: NO_SCHEME,
  },
  {
    file: 'src/guard/request.ts',
    source: '(raw ?? []).filter((name, index) => index % 2 === 0 && name.toLowerCase() === NAME).length;',
    replacements: ['["Stryker was here"]'],
    why: 'No header is called so.',
  },
  {
    file: 'src/guard/request.ts',
    source: "const at = url?.indexOf('?') ?? -1;",
    replacements: ['+1'],
    why: 'Without a URL there is no query, which the next line asks too.',
  },
  {
    file: 'src/guard/request.ts',
    source: "return url !== undefined && at >= 0 && new URLSearchParams(url.slice(at + 1)).has('access_token');",
    replacements: ['true'],
    why: 'Without a URL its place is negative; the compiler does not know it.',
  },
];
