/** The measurements, and their number. */
import { parseArgs } from 'node:util';
import { scenarios } from './scenarios/all.ts';

const HELP = `npm run bench -- [--quick | --smoke] [--only ROW[,ROW]] [--in-flight N[,N]] [--grants N] [--nodes N] [--cluster N[,N]] [--beside FOLDER] [--gate] [--write] [--json FILE]

  --quick             fewer rounds, operations, starts and rotations: about two minutes instead of some twenty; rougher ratios
  --smoke             a few operations of each: whether all of it works; the figures say nothing
  --only ROW[,ROW]    these rows only, and what they need: ${scenarios.map(({ name }) => name).join(', ')},
                      start, memory, one-chain, beside-sign-ins, beside-sealing
  --in-flight N[,N]   concurrent operations, instead of each row's own numbers (8, or 8 and 32)
  --grants N          other authorizations in each database; default 10,000, and 2,000 with --quick
  --nodes N           one more server, "nodes": so many processes of Statehouse on one database, in turns
  --cluster N[,N]     instead of all rows: the CPU of a rotation on one Postgres, and on clusters of Citus with so many workers
                      (\`CITUS_PATH\`, test/cluster/README.md)
  --beside FOLDER     another checkout of Statehouse, installed, as one more server: what a change costs
  --gate              with --beside: these two alone; fails where this version costs more than 8 % above the other
  --write             writes the tables into docs/performance.md, with date and commit
  --json FILE         writes the figures there too
`;

/** Rows that are no scenario. */
const OTHER_ROWS = ['start', 'memory', 'one-chain', 'beside-sign-ins', 'beside-sealing'];
const ROWS = [...scenarios.map(({ name }) => name), ...OTHER_ROWS];

/** `grants`: existing authorizations that are left alone, since no production server has empty tables. */
const FULL = {
  grants: 10_000,
  warmUp: 2000,
  rounds: 9,
  requests: 1500,
  starts: 9,
  operations: 100_000,
  rotations: 100_000,
  pacedRounds: 5,
  pacedSeconds: 10,
};
const QUICK = {
  grants: 2000,
  warmUp: 400,
  rounds: 3,
  requests: 400,
  starts: 3,
  operations: 10_000,
  rotations: 10_000,
  pacedRounds: 1,
  pacedSeconds: 5,
};
const SMOKE = {
  grants: 50,
  warmUp: 20,
  rounds: 1,
  requests: 20,
  starts: 1,
  operations: 2100,
  rotations: 20,
  pacedRounds: 1,
  pacedSeconds: 1,
};

export type Options = {
  readonly extent: typeof FULL & { readonly inFlight: readonly number[] | null };
  readonly only: ReadonlySet<string>;
  /** 1: no server has several. */
  readonly nodes: number;
  /** Workers of each cluster; null: the usual rows. */
  readonly cluster: readonly number[] | null;
  readonly beside: string | null;
  readonly gate: boolean;
  readonly write: boolean;
  readonly json: string | null;
};

/** Ends the process where they cannot be read. */
export function readOptions(): Options {
  try {
    return parse();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${HELP}`);
    process.exit(2);
  }
}

function parse(): Options {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      smoke: { type: 'boolean', default: false },
      only: { type: 'string' },
      'in-flight': { type: 'string' },
      grants: { type: 'string' },
      nodes: { type: 'string', default: '1' },
      cluster: { type: 'string' },
      beside: { type: 'string' },
      gate: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      json: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    process.exit(0);
  }
  const usual = values.smoke ? SMOKE : values.quick ? QUICK : FULL;
  const only = values.only?.split(',') ?? ROWS;
  const unknown = only.find((row) => !ROWS.includes(row));
  if (unknown !== undefined) throw new Error(`--only: there is no row "${unknown}".`);
  if (values.gate && values.beside === undefined) throw new Error('--gate: expected --beside FOLDER.');
  const inFlight = values['in-flight']?.split(',').map((one) => count('--in-flight', one)) ?? null;
  const grants = values.grants === undefined ? usual.grants : count('--grants', values.grants);
  return {
    extent: { ...usual, grants, inFlight },
    only: new Set(only),
    nodes: count('--nodes', values.nodes),
    cluster: values.cluster?.split(',').map((one) => count('--cluster', one)) ?? null,
    beside: values.beside ?? null,
    gate: values.gate,
    write: values.write,
    json: values.json ?? null,
  };
}

function count(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${name} takes a number from 1 on.`);
  return value;
}
