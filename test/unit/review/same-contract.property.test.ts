/**
 * The proof is about the server as far as its store keeps the same contract as Postgres: both answer the same random commands
 * alike. And a statement that compares one fact less answers some of them differently.
 */
import { drizzle } from 'drizzle-orm/postgres-js';
import fc from 'fast-check';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GrantStore } from '../../../src/lifecycles/grant/lifecycle.ts';
import type { Drizzle } from '../../../src/storage/database.ts';
import { grantStore } from '../../../src/storage/grant-store.ts';
import { databaseKinds } from '../../support/database.ts';
import { testClients } from '../../support/macs.ts';
import { openPorts, type Ports } from '../storage/ports.ts';
import { type Command, commands, firstDifference } from './same-contract.ts';

describe.each(databaseKinds)('the store of the model and %s', (kind) => {
  let ports: Ports;
  beforeAll(async () => {
    ports = await openPorts(kind);
  });
  afterAll(() => ports.close());

  it('answer the same commands alike', async () => {
    await fc.assert(
      fc.asyncProperty(commands, async (all) => {
        expect(await firstDifference(ports, ports.grants, all)).toBeNull();
      }),
      { numRuns: 150, endOnFailure: true },
    );
  });
});

/** The parts of the statement that moves a head, by the name that src/lifecycles/grant/walk/ports.ts gives them. */
const CONJUNCTS: Readonly<Record<string, RegExp>> = {
  stateIsActive: /"grants"\."state" = \$\d+/g,
  generationIsLoaded: /"grants"\."refresh_generation" is not distinct from \S+::bigint/g,
  nonceIsLoaded: /"grants"\."refresh_nonce" is not distinct from \S+::bytea/g,
  clientEpochStands: /"clients"\."epoch" = "grants"\."client_epoch"/g,
  clientIsThere: /"clients"\."deleted_at" is null/g,
  userEpochStands: /"users"\."epoch" = "grants"\."user_epoch"/g,
  userIsEnabled: /"users"\."disabled_at" is null/g,
  serverEpochStands: /"server"\."epoch" = "grants"\."server_epoch"/g,
  timeIsNotOver: /coalesce\(\$\d+::timestamptz, now\(\)\) < \S+::timestamptz/g,
};

/** One fact is implied by another as long as only the server writes. */
const IMPLIED = ['generationIsLoaded', 'nonceIsLoaded', 'clientIsThere', 'userIsEnabled'];

describe('a statement that compares one fact less', () => {
  let ports: Ports;
  const clients: postgres.Sql[] = [];
  beforeAll(async () => {
    ports = await openPorts('postgres');
  });
  afterAll(async () => {
    await Promise.all(clients.map((one) => one.end()));
    await ports.close();
  });

  /** The real store, on a connection that rewrites what it sends. */
  function storeWithout(fact: string): { store: GrantStore; rewritten: () => number } {
    const client = postgres(ports.url ?? '', { max: 1, onnotice: () => {} });
    clients.push(client);
    const pattern = CONJUNCTS[fact] ?? /never/g;
    let rewritten = 0;
    const unsafe: postgres.Sql['unsafe'] = (text, parameters, options) => {
      const moves = /^with "moved" as \(update "grants" set "refresh_generation"/.test(text);
      const sent = moves ? text.replace(pattern, (found) => withoutLosing(found)) : text;
      if (sent !== text) rewritten++;
      return client.unsafe(sent, parameters, options);
    };
    const lossy = new Proxy(client, {
      get: (target, name) => (name === 'unsafe' ? unsafe : Reflect.get(target, name)),
    });
    return {
      store: grantStore(drizzle(lossy) as unknown as Drizzle, ports.clock, testClients),
      rewritten: () => rewritten,
    };
  }

  it.each(Object.keys(CONJUNCTS).filter((one) => !IMPLIED.includes(one)))('is detected without %s', async (fact) => {
    const { store, rewritten } = storeWithout(fact);
    const run = await fc.check(
      fc.asyncProperty(commands, async (all) => (await firstDifference(ports, store, all)) === null),
      { numRuns: 400, endOnFailure: true, examples: EXAMPLES },
    );
    expect(rewritten()).toBeGreaterThan(0);
    expect(run.failed).toBe(true);
  });

  it.each(IMPLIED)('cannot be detected through the server without %s', async (fact) => {
    const { store, rewritten } = storeWithout(fact);
    await fc.assert(
      fc.asyncProperty(commands, async (all) => {
        expect(await firstDifference(ports, store, all)).toBeNull();
      }),
      { numRuns: 30 },
    );
    expect(rewritten()).toBeGreaterThan(0);
  });
});

/** The shortest ways in which each fact matters; random ones come after them. */
const EXAMPLES: [readonly Command[]][] = [
  [[{ kind: 'load' }, { kind: 'revoke' }, { kind: 'move', ago: 0, endsIn: 60 }]],
  [[{ kind: 'load' }, { kind: 'disable' }, { kind: 'enable' }, { kind: 'move', ago: 0, endsIn: 60 }]],
  [[{ kind: 'load' }, { kind: 'deleteClient' }, { kind: 'registerClient' }, { kind: 'move', ago: 0, endsIn: 60 }]],
  [[{ kind: 'load' }, { kind: 'raiseServerEpoch' }, { kind: 'move', ago: 0, endsIn: 60 }]],
  [[{ kind: 'load' }, { kind: 'pass', seconds: 2 }, { kind: 'move', ago: 0, endsIn: 2 }]],
  [[{ kind: 'load' }, { kind: 'move', ago: 0, endsIn: 60 }, { kind: 'move', ago: 0, endsIn: 60 }]],
];

/** Parameters keep their numbers and their types: the condition stays, and is always true. */
const withoutLosing = (condition: string): string => `((${condition}) is not null or true)`;
