/** The guard of the issuing commit, with one fact left out in turn. The SQL of each is mutated in test/storage. */
import { ISSUING_GUARD, moveHead } from '../../../../src/review/proof/memory-store.ts';
import type { Mutant } from './mutant.ts';

/** Facts that another one implies as long as nobody writes around the server: kept because an operator with psql might. */
const IMPLIED: Readonly<Record<string, string>> = {
  generationIsLoaded: 'the nonce changes whenever the generation does',
  nonceIsLoaded: 'the generation changes whenever the nonce does, unless a backup was restored under a request',
  clientIsThere: 'deleting a client raises its epoch',
  userIsEnabled: 'disabling a person raises their epoch',
};

export const guardMutants: readonly Mutant[] = Object.keys(ISSUING_GUARD).map((fact) => ({
  what: `without ${fact}`,
  part: 'guard of the commit',
  systemOf: (right) => {
    const { [fact]: _, ...rest } = ISSUING_GUARD;
    return { ...right, moveHead: (stored, move, now) => moveHead(stored, move, now, rest) };
  },
  ...(IMPLIED[fact] !== undefined && { survives: `implied: ${IMPLIED[fact]}` }),
}));
