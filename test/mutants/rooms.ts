import { globSync, readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';

/** The mutated files, and their tests: every room that decides something. The tests of a room are those that should detect a mutant, not all that run through it. */
export type Room = {
  /** Globs of the files that are mutated. */
  readonly mutate: readonly string[];
  /** Globs of the test files that are asked. */
  readonly tests: readonly string[];
};

const unit = (...rooms: string[]) => rooms.map((room) => `test/unit/${room}/**/*.test.ts`);
/** Tests of other rooms that import one of its modules: they ask about texts and rows, as its own tests do. */
const importing = (room: string) =>
  globSync('test/unit/**/*.test.ts').filter((file) => readFileSync(file, 'utf8').includes(`/src/${room}/`));
/** Tests that walk every arm; they take too long for each mutant. */
const LAWS = ['test/unit/machines/{laws,guards,composed-guards,transition-table,meta}.test.ts'];

/** The model check: one test for each walk, so that a mutant asks only those that reach it. */
const PROOF = 'test/unit/review/proof.test.ts';

/** Columns, rights, retention and what is personal: statements read them. */
const TABLES = ['src/lifecycles/**/table.ts', 'src/lifecycles/{columns,in-order,retention}.ts'];

/** How the model check walks a lifecycle: src/review has no room here either. */
const WALKS = ['src/lifecycles/*/walk.ts', 'src/lifecycles/*/walk/**'];

export const rooms: Readonly<Record<string, Room>> = {
  machines: {
    // The machines themselves are data: test/unit/machines/mutation.test.ts changes every arm, guard, action and description.
    mutate: ['machines/**/*.ts', '!machines/*/machine.ts'],
    tests: ['test/unit/machines/{guards,composed-guards,laws,transition-table}.test.ts'],
  },
  policies: {
    mutate: ['policies/**/*.ts'],
    // Schemas are made once, as the modules load: each of their mutants asks all of these.
    tests: ['test/unit/{policies/*,registration/client-metadata,config/{claims,resources}}.test.ts'],
  },
  engine: { mutate: ['src/engine/**/*.ts'], tests: [...unit('engine', 'lifecycles'), ...LAWS] },
  lifecycles: {
    mutate: ['src/lifecycles/**/*.ts', ...[...TABLES, ...WALKS].map((glob) => `!${glob}`)],
    // Over stores in memory: a test against a database takes too long to ask it about each mutant.
    tests: [...unit('lifecycles'), ...LAWS, PROOF],
  },
  crypto: { mutate: ['src/crypto/**/*.ts'], tests: [...unit('crypto'), ...importing('crypto')] },
  oauth: { mutate: ['src/oauth/**/*.ts'], tests: unit('oauth') },
  // On stores in memory first. Clients that register, push or prove a key are tested through the app.
  protocol: { mutate: ['src/protocol/**/*.ts'], tests: [...unit('protocol'), 'test/unit/http/*.test.ts'] },
  http: {
    mutate: ['src/http/**/*.ts', '!src/http/playground/**', '!src/http/views/**'],
    // Each part by itself, without a database: routes are registered before tests begin, so their mutants ask all of these.
    tests: ['test/unit/http/{plugins,routes}/*.test.ts', 'test/unit/http/address-key.test.ts'],
  },
  // The statements: tests through HTTP run through all of them, and take too long.
  storage: { mutate: ['src/storage/**/*.ts', '!src/storage/schema.ts', ...TABLES], tests: unit('storage') },
  registration: {
    mutate: ['src/registration/**/*.ts'],
    tests: [...unit('registration'), ...importing('registration')],
  },
  guard: { mutate: ['src/guard/**/*.ts'], tests: unit('guard') },
  people: {
    mutate: ['src/people/**/*.ts'],
    // Two fifths of it are reached through pages only.
    tests: [
      ...unit('people'),
      'test/unit/http/{account*,e-mail,full-mail-queue,lost-factors,passkey-after-password}.test.ts',
      'test/unit/http/{hostile-authenticators,operators-second-factor,second-factor,sign-in}.test.ts',
    ],
  },
  management: { mutate: ['src/management/**/*.ts'], tests: unit('management') },
  console: { mutate: ['src/console/**/*.ts'], tests: unit('console') },
  webhooks: { mutate: ['src/webhooks/**/*.ts'], tests: unit('webhooks') },
  ledger: { mutate: ['src/ledger/**/*.ts'], tests: [...unit('ledger'), 'test/unit/storage/ledger*.test.ts'] },
  boot: { mutate: ['src/boot/**/*.ts'], tests: unit('boot') },
  config: { mutate: ['src/config/**/*.ts'], tests: unit('config') },
  cli: { mutate: ['src/cli/**/*.ts'], tests: unit('cli') },
  hsm: { mutate: ['src/hsm/**/*.ts'], tests: unit('hsm') },
  images: { mutate: ['src/images/**/*.ts'], tests: unit('images') },
  model: { mutate: ['src/model/**/*.ts'], tests: unit('model') },
  system: { mutate: ['src/system/**/*.ts'], tests: unit('system') },
};

/** Rooms of src without an entry above, each with its reason. */
export const notMutated: Readonly<Record<string, string>> = {
  backtest:
    'It asks the machines of the server; test/property/backtest compares its numbers with a server that runs the same events.',
  catalogue:
    'It reads machines for reviews, and test/unit/machines and test/unit/review break machines and ask what it read.',
  explanation: 'Words for operators about what is stored: no request of a client depends on them.',
  metrics: 'Names and counts for an operator: no request depends on them.',
  review: 'test/unit/machines and test/unit/review break machines, guards and triggers, and ask these checks.',
  tracing: 'Names and times of spans: no request depends on them.',
};

export type RoomName = keyof typeof rooms;

export const isMutated = ({ mutate }: Room, file: string): boolean =>
  mutate.every((glob) => !glob.startsWith('!') || !matchesGlob(file, glob.slice(1))) &&
  mutate.some((glob) => matchesGlob(file, glob));
