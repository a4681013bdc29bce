/** Mutants of src/http that no test can or should notice; their shape is in explained.ts. */

/** Plugins on which no other depends: Fastify shows their names in its own messages only. */
const NAMES: Readonly<Record<string, string>> = {
  'closing.ts': "{ name: 'closing' },",
  'form-body.ts': "{ name: 'form-bodies' },",
  'request-deadline.ts': "{ name: 'request-deadline' },",
  'request-log.ts': "{ name: 'request-log' },",
  'exact-path.ts': "{ name: 'exact-path', dependencies: ['security-headers', 'error-handler'] },",
};

/** They add routes and nothing else: nothing of them could reach other plugins, and none depends on them. */
const ROUTES = [
  'health-routes',
  'home-route',
  'jwks-route',
  'metadata-routes',
  'token-routes',
  'revocation-routes',
  'introspection-routes',
  'userinfo-routes',
];

export const explainedOfHttp = [
  // Those of pages need cookies, which test/unit/http/routes/order.test.ts asks for.
  ...['authorize', 'logout', 'permission'].map((name) => ({
    file: `src/http/${name}-routes.ts`,
    source: `{ name: '${name}-routes', dependencies: ['@fastify/cookie'], encapsulate: true },`,
    replacements: ['""', 'false'],
    why: 'It adds routes only, so there is nothing to keep from other plugins, and none depends on its name.',
  })),
  ...ROUTES.map((name) => ({
    file: `src/http/${name}.ts`,
    source: `{ name: '${name}', encapsulate: true },`,
    replacements: ['{}', '""', 'false'],
    why: 'It adds routes only, so there is nothing to keep from other plugins, and none depends on its name.',
  })),
  ...Object.entries(NAMES).map(([file, source]) => ({
    file: `src/http/${file}`,
    source,
    replacements: ['{}', '""'],
    why: 'No plugin depends on this one: its name stands only in messages of Fastify.',
  })),
  {
    file: 'src/http/app.ts',
    source: 'trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,',
    replacements: ['true', 'false', 'trustedProxies.length >= 0', 'trustedProxies.length <= 0'],
    why: 'Saves time: an empty list trusts no address either.',
  },
  {
    file: 'src/http/app.ts',
    source: "{ name: 'endpoints', encapsulate: true },",
    replacements: ['""'],
    why: 'No plugin depends on this one: its name stands only in messages of Fastify.',
  },
  {
    file: 'src/http/app.ts',
    source: "{ name: 'pages', encapsulate: true },",
    replacements: ['{}', '""', 'false'],
    why: 'It comes last, so nothing of it reaches other routes today. It is there for routes that would come after it.',
  },
  {
    file: 'src/http/cookies.ts',
    source: 'return value !== undefined && VALUE.test(value) ? value : null;',
    replacements: ['true', 'false'],
    why: 'A regular expression reads undefined as a word of nine letters, which is no value of ours; the compiler wants the check.',
  },
  {
    file: 'src/http/error-handler.ts',
    source:
      'error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500 ? error.statusCode : 500;',
    replacements: [
      'true',
      'false',
      'error.statusCode === undefined',
      'error.statusCode > 400',
      'error.statusCode < 400',
      'error.statusCode <= 500',
      'error.statusCode >= 500',
    ],
    why: 'Undefined is not greater than 400 either, and 500 becomes 500.',
  },
  {
    file: 'src/http/error-handler.ts',
    source: "const wantsPage = (request: FastifyRequest) => /text\\/html/.test(request.headers.accept ?? '');",
    replacements: ['"Stryker was here!"'],
    why: 'Any text without text/html does.',
  },
  {
    file: 'src/http/exact-path.ts',
    source: "export function pathSent({ raw: { url = '' } }: FastifyRequest): string {",
    replacements: ['"Stryker was here!"'],
    why: 'Node always has a URL; its type does not say so.',
  },
  {
    file: 'src/http/exact-path.ts',
    source: "const [path = ''] = url.replace(/^https?:\\/\\/[^/?#]*/i, '').split('?', 1);",
    replacements: [
      '"Stryker was here!"',
      '/https?:\\/\\/[^/?#]*/i',
      '/^https:\\/\\/[^/?#]*/i',
      '/^https?:\\/\\/[^/?#]/i',
      '/^https?:\\/\\/[/?#]*/i',
      '""',
    ],
    why: 'What was split has a first part; and no route has two slashes in its path, so only the beginning is ever replaced.',
  },
  {
    file: 'src/http/form-body.ts',
    source: "export const queryOf = ({ raw }: FastifyRequest): string => raw.url?.split('?').slice(1).join('?') ?? '';",
    replacements: ['raw.url.split', '""', '"Stryker was here!"'],
    why: 'Node always has a URL; its type does not say so.',
  },
  {
    file: 'src/http/interaction-request.ts',
    source: "const { id = '', sealed = null } = INTERACTION_NAME.exec(name)?.groups ?? {};",
    replacements: ['"Stryker was here!"', 'INTERACTION_NAME.exec(name).groups'],
    why: 'The schema of the route let the name in, so it matches; the compiler does not know it.',
  },
  {
    file: 'src/http/interaction-routes.ts',
    source: "{ name: 'interaction-routes', dependencies: ['@fastify/cookie'], encapsulate: true },",
    replacements: ['""', 'false'],
    why: 'None depends on its name; and the error handler that it sets hands on all that is not of its own schemas.',
  },
  ...[
    [
      'introspection-routes.ts',
      "return { kind: 'done', body, message: 'introspected', facts: { ...facts, active: body.active } };",
    ],
    ['revocation-routes.ts', "return { kind: 'done', body: {}, message: 'revoked', facts: outcome.facts };"],
    ['token-routes.ts', "return { ...told, kind: 'done', body: response, message: 'issued', facts };"],
  ].map(([file, source = '']) => ({
    file: `src/http/${file}`,
    source,
    replacements: ['""'],
    why: 'What is not refused is done: the kind is there for the compiler.',
  })),
  {
    file: 'src/http/jwks-route.ts',
    source: 'documents.set(keys, known);',
    replacements: [';'],
    why: 'Saves time: the same document would be made again.',
  },
  {
    file: 'src/http/jwks-route.ts',
    source: "const tags = (ifNoneMatch ?? '').split(',').map((one) => one.trim().replace(/^W\\//, ''));",
    replacements: ['"Stryker was here!"', '""'],
    why: 'Any text that is no entity tag of ours does.',
  },
  {
    file: 'src/http/other-methods.ts',
    source: 'handler: (_request, reply) => reply,',
    replacements: ['() => undefined'],
    why: 'The hook has answered before; Fastify wants a handler all the same.',
  },
  {
    file: 'src/http/request-deadline.ts',
    source: "app.decorateRequest('time');",
    replacements: ['""'],
    why: 'Saves time: the property is set in any case, and faster where it was declared.',
  },
  {
    file: 'src/http/request-log.ts',
    source: "app.decorateRequest('logLine', null);",
    replacements: ['""'],
    why: 'Saves time: the property is set in any case, and faster where it was declared.',
  },
  {
    file: 'src/http/request-log.ts',
    source: 'done();',
    replacements: [';'],
    why: 'The response was sent, and no hook comes after this one.',
  },
  ...[
    "return refuseRequest(request, reply, { kind: 'refused', reason }, {});",
    "return refuseRequest(request, reply, { kind: 'refused', reason: 'content_type' }, {});",
  ].map((source) => ({
    file: 'src/http/client-endpoint.ts',
    source,
    replacements: ['""'],
    why: 'The kind is there for the compiler; nothing reads it any more.',
  })),
  ...[
    ['client-endpoint.ts', "address: () => addressKey(request.ip, request.socket.remoteAddress ?? ''),"],
    ['sign-in-form.ts', "address: addressKey(request.ip, request.socket.remoteAddress ?? ''),"],
  ].map(([file, source = '']) => ({
    file: `src/http/${file}`,
    source,
    replacements: ['"Stryker was here!"'],
    why: 'Any text that is no address does.',
  })),
];
