/**
 * A dry run: the operation whole, with its machines, rules and triggers, in a transaction that ends without its changes. It sends no
 * mail, and asks no HSM for a key.
 */
import { authenticClients } from '../storage/authentic-clients.ts';
import type { Drizzle } from '../storage/database.ts';
import { reading } from '../storage/failures.ts';
import { grantStore } from '../storage/grant-store.ts';
import { sessionStore } from '../storage/sessions.ts';
import { signingKeyStore } from '../storage/signing-keys.ts';
import { areSpread, knownAsSpread } from '../storage/spread-databases.ts';
import type { ManagementDeps } from './deps.ts';
import type { Answer } from './resource.ts';

/** @throws StoreUnavailable, never with `maybeCommitted`. */
export async function dryRun(deps: ManagementDeps, run: (deps: ManagementDeps) => Promise<Answer>): Promise<Answer> {
  try {
    return await reading(() =>
      deps.db.transaction(async (tx) => {
        knownAsSpread(tx, () => areSpread(deps.db));
        throw new Undone(await run(within(deps, tx)));
      }),
    );
  } catch (error) {
    if (error instanceof Undone) return error.answer;
    throw error;
  }
}

/** Ends the transaction, with the answer. */
class Undone extends Error {
  readonly answer: Answer;
  constructor(answer: Answer) {
    super('The transaction of a dry run ends without its changes.');
    this.name = 'Undone';
    this.answer = answer;
  }
}

function within(deps: ManagementDeps, db: Drizzle): ManagementDeps {
  const { clock, macs, links, mails } = deps;
  const challenges = deps.challengesOn(db);
  return {
    ...deps,
    db,
    challenges,
    store: grantStore(db, clock, authenticClients(macs)),
    sessions: sessionStore(db, clock, macs),
    signingKeys: {
      ...deps.signingKeys,
      store: signingKeyStore(db, clock, macs),
      createKey: deps.createKeyHere,
    },
    links: links && { ...links, challenges },
    mails: mails && { ...mails, outbox: NO_OUTBOX },
    keepKeys: async () => {},
    secretChanged: async () => {},
  };
}

/** As if it had taken each mail. */
const NO_OUTBOX = { send: async () => true, want: async () => true, later: async () => {} };
