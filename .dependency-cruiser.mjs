/**
 * The rooms and the arrows between them, as data. `npm run check:rooms` holds them.
 *
 * A rule names the folder that imports (`from`), what it must not reach (`to`), and why (`comment`). "Values" are imports
 * that run; `import type` is erased and allowed wherever a rule says `dependencyTypesNot: ['type-only']`.
 *
 * dependency-cruiser reads TypeScript with the compiler's JavaScript API, which TypeScript 7 does not have. So the name
 * `typescript` is TypeScript 6 (for tools), and `@typescript/native` is TypeScript 7 (for `tsc`).
 */

const valuesOnly = { dependencyTypesNot: ['type-only'] };
const packages = (...names) => `node_modules/(${names.join('|')})/`;
const NODE =
  '^(node:)?(assert|buffer|events|fs|fs/promises|module|net|os|path|process|stream|timers|timers/promises|url|util)$';
/** What is known and what happens, as types: what rooms that decide nothing may read of a machine. */
const MACHINE_TYPES = '^machines/(unions|.+/facts)\\.ts$';
/** The columns of a lifecycle, and what is said of them. */
const TABLES =
  '^src/lifecycles/(table|tables|rules|moves|root-keys|webhook-events|columns|search-text|in-order|retention|.+/table)\\.ts$';
/** How the model check walks a lifecycle, beside what it walks. */
const WALKS = '^src/lifecycles/[^/]+/walk(\\.ts|/)';
/** What the guides and the examples show runs as tests do, and never in the server. */
const TESTS = '^(test|docs/examples|examples)/';
/** Where scenarios are played on the app (docs/decisions/0063). */
const PLAYED = '^src/review/simulation/server/';
/** What people of scenarios hold in their hands. */
/** The entry points for frameworks that an API brings along, unlike the server. */
const GUARDS_OF_OTHERS = '^src/guard/(express|hono|nestjs)\\.ts$';
/** The check of a DPoP proof. */
const PROOF = '^src/guard/(certificate|dpop-proof)\\.ts$';
const DEVICES = '^src/review/simulation/devices/';

/** A room that may reach only what is listed. */
const only = (name, from, pathNot, comment, to = {}) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { pathNot, ...to },
});

/** A part that only the listed rooms may know. */
const onlyFrom = (name, pathNot, path, comment, to = {}) => ({
  name,
  comment,
  severity: 'error',
  from: { pathNot },
  to: { path, ...to },
});

export default {
  forbidden: [
    // What each room may reach.
    only(
      'machines-are-pure',
      '^machines/',
      ['^machines/', packages('xstate')],
      'A machine says what may happen; a reviewer must be able to read it without reading anything else.',
    ),
    only(
      'policies-are-data',
      '^policies/',
      [
        '^policies/',
        '^src/oauth/(client-methods|signing-algorithms|scope|claims|distinguished-name)\\.ts$',
        packages('zod'),
      ],
      'A policy is data beside the schema that bounds it; of the server it needs the lists and formats of the protocol alone.',
    ),
    only(
      'oauth-is-a-leaf',
      '^src/oauth/',
      ['^src/oauth/', MACHINE_TYPES],
      'The protocol vocabulary knows no server, so that every room may use it; it sees the reasons of the machines as types.',
    ),
    only(
      'model-is-a-leaf',
      '^src/model/',
      [
        '^src/model/',
        MACHINE_TYPES,
        '^policies/client-schema\\.ts$',
        '^src/oauth/(client-id-url|client-methods|signing-algorithms|username)\\.ts$',
        '^src/crypto/secret-types\\.ts$',
      ],
      'An entity has one shape, which every room may name; a client has the fields of the schema that describes it.',
    ),
    only(
      'engine-is-the-core',
      '^src/engine/',
      ['^src/(engine|model)/', '^machines/', packages('xstate')],
      'The engine never learns that HTTP, SQL, keys or time exist; what it needs from the world are its ports.',
    ),
    only(
      'crypto-is-a-leaf',
      '^src/crypto/',
      [
        '^src/crypto/',
        '^src/oauth/signing-algorithms\\.ts$',
        packages('jose', '@node-rs/argon2', '@node-rs/bcrypt', '@simplewebauthn/server', 'otpauth'),
        '^(node:)?(crypto|net|buffer|util|worker_threads|zlib)$',
      ],
      'A reviewer of the cryptography reads one folder; it knows formats and keys, and neither grants nor tables.',
    ),
    only(
      'the-check-of-a-proof-is-a-leaf',
      PROOF,
      [packages('jose')],
      'The server and the guard check DPoP proofs and read certificates by the same files, which are part of the package of the guard.',
    ),
    only(
      'guard-knows-no-server',
      '^src/guard/',
      // NestJS turns only its own exceptions into responses.
      ['^src/guard/', packages('jose', '@nestjs/common')],
      'An API installs it beside its own code: of the server it knows its URLs and its tokens alone.',
      valuesOnly,
    ),
    onlyFrom(
      'guards-of-other-frameworks-are-for-others',
      ['^src/guard/', TESTS, '^(docs/)?examples/'],
      GUARDS_OF_OTHERS,
      'A production installation of the server has none of these frameworks.',
    ),
    onlyFrom(
      'only-the-guard-of-nestjs-loads-nestjs',
      ['^src/guard/nestjs\\.ts$', TESTS, '^docs/examples/'],
      packages('@nestjs/[^/]+'),
      'No other API installs it, so no other file of the guard may need it.',
    ),
    {
      name: 'guard-names-no-server',
      comment: 'Its types are for APIs too: those of their frameworks, and no type of the server.',
      severity: 'error',
      from: { path: '^src/guard/' },
      to: {
        pathNot: ['^src/guard/', packages('jose', 'fastify', 'express', '@types/express', 'hono', '@nestjs/common')],
      },
    },
    onlyFrom(
      'guard-is-for-apis',
      ['^src/guard/', '^src/management/', TESTS],
      '^src/guard/(?!(certificate|dpop-proof)\\.ts$)',
      'The server checks its own tokens against its own database; only an API on it, such as the management API, is guarded.',
    ),
    only(
      'system-is-a-leaf',
      '^src/system/',
      [
        '^src/system/',
        '^src/(engine/errors|config/problem|crypto/random)\\.ts$',
        packages('pino', 'pino-pretty'),
        NODE,
        '^(node:)?(async_hooks|diagnostics_channel)$',
      ],
      'Clock and logger are used by every room, so they depend on none; the logger knows which errors are safe to print.',
    ),
    only(
      'ledger-knows-lines-and-keys',
      '^src/ledger/',
      ['^src/ledger/', '^src/crypto/(digest|ledger-seal)\\.ts$', packages('zod')],
      'What an auditor has to believe is small: how lines are hashed, chained, signed and checked, and no table.',
    ),
    only(
      'images-come-from-elsewhere',
      '^src/images/',
      [
        '^src/images/',
        '^src/model/image\\.ts$',
        packages('ipaddr\\.js'),
        NODE,
        '^src/crypto/digest\\.ts$',
        '^(node:)?(dns|dns/promises|http|https)$',
      ],
      'What this server fetches from addresses of others is fetched in one place, which knows nothing that could leak.',
    ),
    only(
      'storage-serves-the-engine',
      '^src/storage/(?!driver/)',
      [
        '^src/storage/',
        '^src/engine/(commit|errors)\\.ts$',
        '^src/(crypto|ledger|lifecycles|model|system)/',
        '^src/oauth/(signing-algorithms|sub|username)\\.ts$',
        MACHINE_TYPES,
        packages('drizzle-orm', '@electric-sql/pglite'),
        NODE,
      ],
      'Tables fulfil the ports of the engine and decide nothing, so they never reach decisions, grants or HTTP.',
    ),
    only(
      'driver-is-a-leaf',
      '^src/storage/driver/',
      ['^src/storage/driver/', NODE, '^(node:)?(crypto|perf_hooks|tls)$'],
      'It is the driver of others, with what is mended in it: it knows the protocol of Postgres and nothing of the server.',
    ),
    {
      name: 'storage-makes-no-secrets',
      comment: 'Storage names the types of stored secrets; making and checking them is for crypto.',
      severity: 'error',
      from: { path: '^src/storage/' },
      to: { path: '^src/crypto/', ...valuesOnly },
    },
    only(
      'protocol-decides-nothing-alone',
      '^src/protocol/',
      [
        '^src/(protocol|lifecycles|engine|model|oauth|crypto)/',
        '^src/config/(configuration|own-clients)\\.ts$',
        PROOF,
        '^(?!src/)',
      ],
      'A use case parses, authenticates, asks the engine and returns an outcome; stores and files are handed to it.',
      valuesOnly,
    ),
    {
      name: 'protocol-knows-no-http-and-no-storage',
      comment:
        'A use case declares the stores that it needs and returns values; neither how they are stored nor how they travel belongs here, not even as types.',
      severity: 'error',
      from: { path: '^src/protocol/' },
      to: { path: '^src/(http|storage|cli|review|boot)/' },
    },
    only(
      'people-decide-nothing-alone',
      '^src/people/',
      [
        '^src/(people|lifecycles|engine|model|oauth|crypto)/',
        '^src/protocol/(administrators|browser-session|form-purpose|permissions|sign-in|signed-in-browsers)\\.ts$',
        '^src/config/configuration\\.ts$',
        '^src/system/(bounded-queue|deadlines|observed|request-time)\\.ts$',
        '^policies/',
        '^(?!src/)',
      ],
      'A way to sign in, or to help oneself, is a use case like those of the protocol: it asks machines, and stores are handed to it.',
      valuesOnly,
    ),
    {
      name: 'people-know-no-http-and-no-storage',
      comment: 'As in src/protocol: neither how things are stored nor how they travel belongs here, not even as types.',
      severity: 'error',
      from: { path: '^src/people/' },
      to: { path: '^src/(http|storage|cli|review|boot)/' },
    },
    only(
      'http-stores-and-decides-nothing',
      '^src/http/',
      [
        '^src/(http|people|protocol|oauth)/',
        // For cookies, form tokens and hashes of scripts; the ring is handed through to the JWKS.
        '^src/crypto/(digest|random|root-secret|signing-keys)\\.ts$',
        // What it turns into 503.
        '^src/engine/(commit|errors)\\.ts$',
        '^src/(config/(branding|configuration)|model/image|system/(deadlines|observed|request-time))\\.ts$',
        packages('fastify', '@fastify/cookie', 'fastify-plugin', 'zod', 'ghtml', 'bowser', 'ipaddr\\.js', 'negotiator'),
        packages('intl-messageformat', '@formatjs/icu-messageformat-parser'),
        NODE,
      ],
      'A route parses, calls a use case and sends its outcome; storage, the engine and the machines are behind the use cases.',
    ),
    only(
      'management-is-an-api-on-the-server',
      '^src/management/',
      [
        '^src/(management|guard|registration|lifecycles|storage|protocol|model|oauth|config|engine)/',
        '^src/people/(email|mail|sign-up)/',
        '^src/people/(delegated|external|upstream)/',
        '^src/people/(second-factor/removal|passwords/rules)\\.ts$',
        '^src/crypto/(base64url|client-secret|digest|password|random|root-secret|secret-types)\\.ts$',
        '^src/http/(address-key|exact-path|request-log|unavailable)\\.ts$',
        '^src/(backtest|catalogue|explanation)/',
        // A verification in slices, for those who have no shell.
        '^src/ledger/(problem-words|verify|verify-slice)\\.ts$',
        '^src/system/',
        '^policies/',
        packages('fastify', 'ghtml', 'negotiator', 'zod'),
        NODE,
        // A request that the API sends to itself.
        '^(node:)?async_hooks$',
      ],
      'Administrators change what is stored through the same lifecycles as everybody else; the API adds the conventions of HTTP.',
      valuesOnly,
    ),
    only(
      'the-management-client-is-a-leaf',
      '^src/management/client/',
      ['^src/management/client/', '^src/oauth/sent-text\\.ts$'],
      'It knows the resources as types, which are erased: a command through a server loads nothing of the server.',
      valuesOnly,
    ),
    {
      name: 'commands-administer-through-the-api',
      comment:
        'What commands change, they ask of the management API, over HTTP or within the process: it has one set of rules, documents and words.',
      severity: 'error',
      // The second is for "check", which reads a database that no server has to be able to serve.
      from: { path: '^src/cli/', pathNot: ['^src/cli/direct/', '^src/cli/stored-clients\\.ts$'] },
      to: {
        path: [
          '^src/management/(?!client/)',
          '^src/lifecycles/',
          '^src/registration/(import-users|register-user)\\.ts$',
          '^src/storage/(client-list|consequences|grant-list|grant-store|session-list|sessions|signing-keys|user-list|user-store|users|webhook-list|webhooks)\\.ts$',
        ],
        ...valuesOnly,
      },
    },
    only(
      'console-is-a-client',
      '^src/console/',
      [
        '^src/console/',
        '^src/management/client/',
        // Its client_id.
        '^src/config/own-clients\\.ts$',
        // For its secret, which is derived, and for what it seals.
        '^src/crypto/(digest|random|root-secret|sealed-text)\\.ts$',
        // It is served beside the other pages.
        '^src/http/(form-body|lazy-routes|page-parts|request-log|security-headers)\\.ts$',
        '^src/http/views/(browser-name|page)\\.ts$',
        // It is in English only.
        '^src/http/words/languages\\.ts$',
        '^src/oauth/(client-methods|parameters|sent-text|urls)\\.ts$',
        '^policies/(client-schema|profiles)\\.ts$',
        packages('fastify', '@fastify/cookie', 'ghtml'),
        NODE,
      ],
      'The console has no way around the management API: it knows its client and its addresses, and nothing behind them.',
    ),
    only(
      'config-reads-and-checks',
      '^src/config/',
      [
        '^src/(config|oauth)/',
        '^src/model/image\\.ts$',
        '^policies/',
        packages('culori', 'ipaddr\\.js', 'yaml', 'zod', 'leven'),
        NODE,
        // The hash of an image is its name.
        '^src/crypto/digest\\.ts$',
        // The authorities of client certificates are checked when the server starts; the guard reads the same forms of headers.
        '^src/crypto/client-certificate\\.ts$',
        '^src/guard/certificate\\.ts$',
        // The storage reads it too.
        '^src/system/database-url\\.ts$',
      ],
      'Configuration turns the environment and files into checked values, and starts nothing.',
      valuesOnly,
    ),

    only(
      'examples-stand-alone',
      '^examples/',
      [
        '^examples/',
        // As an API imports it: statehouse/guard.
        '^src/guard/(index|mcp)\\.ts$',
        packages('@modelcontextprotocol/(client|server|node)', 'express', '@types/express', 'zod'),
        '^(node:)?(child_process|fs|http|net|os|path)$',
      ],
      'An example is what somebody else would write: it knows the server by its URLs and its tokens alone.',
    ),
    {
      name: 'registration-knows-no-edge',
      comment: 'Registering a client or a person is the same from the command line and from a declaration in files.',
      severity: 'error',
      from: { path: '^src/registration/' },
      to: { path: '^src/(http|cli|protocol|review|boot)/' },
    },

    only(
      'metrics-only-listen',
      '^src/metrics/',
      [
        '^src/metrics/',
        '^src/engine/(decide|errors|observe)\\.ts$',
        MACHINE_TYPES,
        '^src/system/observed\\.ts$',
        packages('prom-client'),
        '^(node:)?(events|http|net)$',
      ],
      'Metrics follow what others tell; nothing that serves knows them, so that a server without them is the same server.',
    ),

    only(
      'webhooks-are-handed-everything',
      '^src/webhooks/',
      [
        '^src/(webhooks|lifecycles|model)/',
        '^src/images/public-address\\.ts$',
        '^src/engine/(commit|errors)\\.ts$',
        '^src/oauth/urls\\.ts$',
        '^src/crypto/(digest|random|security-event-token)\\.ts$',
        '^src/system/observed\\.ts$',
        '^policies/',
        packages('standardwebhooks', 'pino'),
        '^(node:)?(http|https|net)$',
      ],
      'What leaves for other systems is made in one place, which knows no table, no request and no secret but those that it is handed.',
    ),
    onlyFrom(
      'only-boot-sends-events',
      ['^src/(webhooks|boot)/', TESTS],
      '^src/webhooks/',
      'Nothing that serves knows of receivers: events come from the ledger.',
    ),

    only(
      'tracing-only-listens',
      '^src/tracing/',
      [
        '^src/tracing/',
        '^src/engine/observe\\.ts$',
        '^src/system/(observed|request-time)\\.ts$',
        packages('@opentelemetry/[^/]+'),
      ],
      'Spans follow what others tell; nothing that serves knows them.',
    ),

    // Who may know a part.
    {
      name: 'lifecycles-are-declared',
      comment:
        'What a lifecycle is, is said once and purely: its machine, its rows, its effects. The world is handed to the engine.',
      severity: 'error',
      from: { path: '^src/lifecycles/', pathNot: [TABLES, WALKS] },
      to: { pathNot: ['^src/(lifecycles|engine|model)/', '^machines/', '^(node:)?util$'] },
    },
    only(
      'walks-are-about-lifecycles',
      WALKS,
      [
        '^src/(lifecycles|engine|model)/',
        '^src/review/proof/',
        '^src/oauth/(authentication|client)-methods\\.ts$',
        '^src/config/key-lifetimes\\.ts$',
        '^(machines|policies)/',
        '^(node:)?util$',
      ],
      'A walk says where its lifecycle begins, what may come and what must hold; storage, HTTP and keys have no part in it.',
    ),
    onlyFrom(
      'walks-are-for-the-proof',
      [WALKS, '^src/review/proof/', TESTS],
      WALKS,
      'A walk stands beside its lifecycle for those who read it. The proof alone loads it, so that nothing that serves requests does.',
    ),
    only(
      'tables-are-columns-and-facts',
      TABLES,
      [
        TABLES,
        '^src/(model|crypto|oauth)/',
        // The words of a column, which other modules use too.
        '^src/lifecycles/(mail/purpose|webhook-delivery/attempt)\\.ts$',
        // What a machine means for rows, for the rules that Postgres enforces.
        '^src/catalogue/(calls|read)\\.ts$',
        MACHINE_TYPES,
        '^policies/(schema|webhooks-schema)\\.ts$',
        packages('drizzle-orm'),
      ],
      'A table says what its columns are and how they may change; it runs nothing.',
    ),
    onlyFrom(
      'only-the-engine-asks-machines',
      ['^machines/', '^src/(catalogue|engine|lifecycles|review)/', TESTS],
      '^machines/',
      'A decision that the engine did not ask for is one that it does not check and commit; others see types.',
      valuesOnly,
    ),
    onlyFrom(
      'only-the-engine-knows-xstate',
      ['^machines/', '^src/(catalogue|engine|review)/', TESTS],
      packages('xstate', '@xstate/[^/]+'),
      'XState is called in one place, as a pure function: no actors and no timers in the server.',
    ),
    onlyFrom(
      'only-http-knows-fastify',
      ['^src/(http|management|console)/', '^src/guard/fastify\\.ts$', '^src/boot/console\\.ts$', TESTS],
      packages('fastify', '@fastify/[^/]+', 'fastify-[^/]+', 'ghtml'),
      'HTTP is one way in; the command line and the tests of the core need none.',
    ),
    onlyFrom(
      'only-storage-knows-sql',
      ['^src/storage/', TABLES, TESTS, '^drizzle\\.config\\.ts$'],
      ['^src/storage/driver/', packages('drizzle-orm', '@electric-sql/pglite')],
      'Every statement that can change a grant is in one folder, where a reviewer can list them. A table of a lifecycle has columns and no statement.',
    ),
    onlyFrom(
      'only-crypto-knows-cryptography',
      // The driver signs in to Postgres (SCRAM).
      ['^src/crypto/', '^src/guard/', '^src/storage/driver/', DEVICES, TESTS],
      [packages('jose', '@node-rs/argon2', '@node-rs/bcrypt', '@simplewebauthn/server', 'otpauth'), '^(node:)?crypto$'],
      'Randomness, digests, comparisons and signatures are reviewed in one folder.',
    ),
    onlyFrom(
      'only-system-makes-loggers',
      ['^src/system/', TESTS],
      packages('pino', 'pino-pretty'),
      'Redaction holds only if every line goes through the one logger that redacts.',
      valuesOnly,
    ),
    onlyFrom(
      'only-tracing-knows-opentelemetry',
      ['^src/tracing/', TESTS],
      packages('@opentelemetry/[^/]+'),
      'Without the variables of OpenTelemetry none of it is loaded.',
    ),
    onlyFrom(
      'only-metrics-know-prometheus',
      ['^src/metrics/', TESTS],
      packages('prom-client'),
      'Without a port for metrics the package is not loaded.',
    ),
    onlyFrom(
      'only-upstream-knows-openid-client',
      ['^src/people/upstream/', TESTS],
      packages('openid-client'),
      'Answers of other OpenID Providers are checked in one place, and loaded when somebody signs in there.',
    ),
    onlyFrom(
      'only-config-reads-yaml',
      ['^src/(config|review)/', '^policies/', TESTS],
      packages('yaml'),
      'A file that is read elsewhere would not be checked.',
    ),
    onlyFrom(
      'only-cli-knows-commander',
      ['^src/cli/', TESTS],
      packages('commander'),
      'Arguments are parsed at the edge.',
    ),
    onlyFrom(
      'http-is-an-edge',
      // The arguments of the words are generated from their catalogue.
      ['^src/(http|boot|management|console)/', PLAYED, '^src/review/words-arguments\\.ts$', TESTS],
      '^src/http/',
      'Arrows point from the shell to the core: nothing but the app knows its routes.',
    ),
    onlyFrom('cli-is-an-edge', ['^src/cli/', TESTS], '^src/cli/', 'Arrows point from the shell to the core.'),
    onlyFrom(
      'boot-is-an-edge',
      ['^src/(boot|cli)/', PLAYED, TESTS],
      '^src/boot/',
      'The process knows every room, and only the command line that starts it knows the process. Scenarios are played on the same wiring.',
    ),
    onlyFrom(
      'only-drawings-know-graphviz',
      ['^src/review/drawing/', TESTS],
      packages('@hpcc-js/[^/]+'),
      'Where things stand in a picture is decided in one place, which is loaded only for pictures.',
    ),
    only(
      'one-reader-of-machines',
      '^src/catalogue/',
      ['^src/catalogue/', '^machines/', packages('xstate')],
      'What a configuration says is read in one place, from the configuration alone: drawings, SQL, diff and tests agree on it.',
    ),
    only(
      'explanations-read-what-is-stored',
      '^src/explanation/',
      [MACHINE_TYPES, '^src/(explanation|config|crypto|model|storage)/', '^src/system/clock\\.ts$'],
      'Operators are shown the life of a grant or of a key from what is stored about it, by the API and by the command line alike; nothing here decides.',
    ),
    onlyFrom(
      'explanations-are-for-operators',
      ['^src/(cli|explanation|management)/', TESTS],
      '^src/explanation/',
      'Clients learn the OAuth error alone; the precise reason is for operators.',
    ),
    only(
      'backtests-present-what-is-stored',
      '^src/backtest/',
      [
        '^src/(backtest|config|engine|lifecycles|model|oauth|protocol|storage)/',
        '^src/registration/client-metadata\\.ts$',
        MACHINE_TYPES,
        '^src/crypto/row-mac\\.ts$',
        '^src/system/clock\\.ts$',
      ],
      'A backtest asks the machines by the rules of the token endpoint, about what is stored; it has no rule of its own, and writes nothing.',
    ),
    onlyFrom(
      'backtests-are-for-operators',
      ['^src/(backtest|boot|cli|management)/', TESTS],
      '^src/backtest/',
      'What a change would do is for those who decide about it; nothing that serves clients loads it.',
    ),
    onlyFrom(
      'a-device-is-loaded-where-it-is-named',
      ['^src/(hsm|boot)/', TESTS],
      '^src/hsm/',
      'Without a PKCS#11 device nothing of this room is loaded.',
    ),
    only(
      'drawings-read-the-machines',
      '^src/review/drawing/',
      [
        '^src/review/(drawing|proof)/',
        '^src/catalogue/',
        '^policies/',
        '^src/config/',
        '^src/oauth/refusals\\.ts$',
        packages('@hpcc-js/wasm-graphviz'),
        NODE,
      ],
      'A picture is drawn from the machine that runs, the policy and the table of refusals, and from nothing that serves.',
    ),
    onlyFrom(
      'review-is-an-edge',
      ['^src/(review|cli)/', WALKS, TESTS],
      '^src/review/',
      'What reviewers run reads the server; the server does not depend on it.',
    ),

    only(
      'devices-know-no-server',
      DEVICES,
      [DEVICES, packages('otpauth'), '^(node:)?crypto$'],
      'A browser, a passkey or an authenticator app that shared code with the server would agree with it in what is wrong, too.',
    ),
    {
      name: 'scenarios-know-no-proof',
      comment: 'Scenarios are played on what serves requests; the model of the proof stands for it in the proof alone.',
      severity: 'error',
      from: { path: '^src/review/simulation/' },
      to: { path: '^src/review/(?!simulation/)' },
    },

    // Everywhere.
    {
      name: 'no-cycles',
      comment: 'Two files that need each other cannot be read one after the other.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment: 'A file that nobody imports and that imports nobody is left over.',
      severity: 'error',
      from: { orphan: true, pathNot: ['\\.d\\.ts$', '\\.test\\.ts$', '\\.config\\.(ts|mjs)$', '-in-page\\.js$'] },
      to: {},
    },
    {
      name: 'no-test-in-the-server',
      comment: 'What runs in production does not depend on what tests it.',
      severity: 'error',
      from: { path: '^(src|machines|policies)/' },
      to: { path: TESTS },
    },
    {
      name: 'no-dev-dependency-in-the-server',
      comment: 'A production installation has no devDependencies, so the server would not start.',
      severity: 'error',
      from: { path: '^(src|machines|policies)/', pathNot: GUARDS_OF_OTHERS },
      // Without it, lines of the log are JSON.
      to: { dependencyTypes: ['npm-dev'], pathNot: packages('pino-pretty') },
    },
    {
      name: 'no-unlisted-package',
      comment: 'A package that is not in package.json is there by accident of another one.',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'no-unresolvable',
      comment: 'An import that leads nowhere fails only when it runs.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Others wrote it, and it is sent to browsers.
    exclude: { path: '^src/management/scalar/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types', 'default'] },
  },
};
