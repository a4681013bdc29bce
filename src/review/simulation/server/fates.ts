/**
 * The faults that HTTP cannot cause happen in the store of the app: the order of commits, a crash, a lost answer. The wrapper records
 * the statements of each request.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { AppDeps } from '../../../boot/wiring.ts';
import { StoreUnavailable } from '../../../engine/errors.ts';
import type { Answer, Statement, UnderWay } from '../stage.ts';
import type { Fate } from '../vocabulary.ts';
import type { Server } from './server.ts';

/** One request on its way through the app. */
type Passage = {
  /** Null: none, or it was met. */
  fate: Fate | null;
  /** The database does not answer any more. */
  isAway: boolean;
  readonly statements: Statement[];
  readonly loaded: () => void;
  /** Held until then, after its first load. */
  readonly released: Promise<void>;
};
const passages = new AsyncLocalStorage<Passage>();

class Crashed extends Error {}

/** The store as one request finds it; every other request finds it whole. */
export function withFates(deps: AppDeps): AppDeps {
  const { store } = deps;
  return {
    ...deps,
    sleep: () => Promise.resolve(),
    store: {
      ...store,
      load: async (key) => {
        const passage = passages.getStore();
        if (!passage) return store.load(key);
        if (passage.isAway) throw new StoreUnavailable(false);
        passage.statements.push({ kind: 'load', again: passage.statements.length > 0 });
        const loaded = await store.load(key);
        passage.loaded();
        await passage.released;
        return loaded;
      },
      commit: async (commit) => {
        const passage = passages.getStore();
        if (!passage) return store.commit(commit);
        const { fate } = passage;
        passage.fate = null;
        const note = (came: Extract<Statement, { kind: 'commit' }>['came']) =>
          passage.statements.push({
            kind: 'commit',
            what: commit.kind === 'moveHead' ? 'tokens' : 'revocation',
            came,
          });
        switch (fate) {
          case 'crash before commit':
            throw new Crashed();
          case 'database away':
            note('notSent');
            throw new StoreUnavailable(false);
          case 'commit lost':
            note('lost');
            throw new StoreUnavailable(true);
          case 'commit answer lost':
          case 'commit unknown':
            note((await store.commit(commit)) ? 'answerLost' : 'guardLost');
            passage.isAway = fate === 'commit unknown';
            throw new StoreUnavailable(true);
          default: {
            const committed = await store.commit(commit);
            note(committed ? 'held' : 'guardLost');
            if (fate === 'crash after commit') throw new Crashed();
            return committed;
          }
        }
      },
    },
  };
}

export type Reply = { readonly statusCode: number; readonly body: string };

/** A request, up to its first load. @param answerOf its reply, and the lines of the log that came of it. */
export async function underWay(
  { logged, since }: Pick<Server, 'logged' | 'since'>,
  fate: Fate | null,
  ask: () => Promise<Reply>,
  answerOf: (reply: Reply, lines: ReturnType<Server['since']>) => Answer,
): Promise<UnderWay> {
  const { promise: hasLoaded, resolve: loaded } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const statements: Statement[] = [];
  const begun = logged();
  // Awaited inside: an injected request begins when its reply is waited for.
  const replied = passages.run({ fate, isAway: false, statements, loaded, released }, async () => await ask());
  // A request that loads nothing is not held.
  const isHeld = await Promise.race([hasLoaded.then(() => true), replied.then(() => false)]);
  const before = [...statements];
  return {
    statements: before,
    finish: async () => {
      const from = isHeld ? logged() : begun;
      release();
      const answer = answerOf(await replied, since(from));
      return { statements: statements.slice(before.length), answer };
    },
  };
}
