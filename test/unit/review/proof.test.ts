/** The proof holds for what is shipped, within the bounds that `statehouse check` walks, and can be read when it does not. */
import { describe, expect, it } from 'vitest';
import { type Bounds, beginning } from '../../../src/review/proof/beginning.ts';
import { explore } from '../../../src/review/proof/explore.ts';
import { moveHead } from '../../../src/review/proof/memory-store.ts';
import { holds, prove } from '../../../src/review/proof/prove.ts';
import { systemOf } from '../../../src/review/proof/system.ts';
import { mermaidOfTrace, wordsOfTrace } from '../../../src/review/proof/trace.ts';
import { shippedConfiguration } from '../../support/app.ts';

const policies = [...shippedConfiguration.policies].map(([name, policy]) => ({ name, ...policy }));
const [policy] = policies;
if (!policy) throw new Error('no policy');
const FEW: Bounds = { presentations: 3, inFlight: 2, disturbances: 1 };

describe('the proof', () => {
  it.each(policies)('holds under the policy $name', (one) => {
    const proof = prove(one, [FEW]);
    expect(proof.verdicts.filter(({ violation }) => violation).map(({ violation }) => violation?.words)).toEqual([]);
    expect(holds(proof)).toBe(true);
    expect(proof.verdicts).toHaveLength(9);
  });

  it('reaches what it is about', () => {
    // A walk that never gets anywhere would hold, too.
    const { worlds } = explore(systemOf(policy), FEW);
    expect(worlds).toBeGreaterThan(4000);
    expect(explore(systemOf(policy), { ...FEW, presentations: 4 }).worlds).toBeGreaterThan(worlds);
    expect(explore(systemOf(policy), { ...FEW, inFlight: 3 }).worlds).toBeGreaterThan(worlds);
    expect(explore(systemOf(policy), { ...FEW, disturbances: 0 }).worlds).toBeLessThan(worlds);
  });

  it('begins with an approval whose code has not been presented', () => {
    expect(beginning(policy, FEW)).toMatchObject({
      tokens: [],
      spent: [],
      flights: [],
      stored: { grant: { state: 'active' } },
    });
  });

  it('says the shortest way to a violation, in words and as a sequence diagram', () => {
    // A commit that compares nothing: whoever loaded first has tokens made from a chain that is dead.
    const blind = {
      ...systemOf(policy),
      moveHead: (...[stored, move, now]: Parameters<typeof moveHead>) => moveHead(stored, move, now, {}),
    };
    const [violation] = explore(blind, FEW, true).violations;
    if (!violation) throw new Error('nothing was found');
    expect(wordsOfTrace(violation)).toMatchInlineSnapshot(`
      [
        "The resource owner approves; the code is on its way to the client.",
        "Somebody presents the code; the server loads its row.",
        "Time passes, until 30 s after the approval.",
        "The server commits, for the code: tokens are issued.",
        "So tokens were issued 0 ms after the end of what was presented.",
      ]
    `);
    expect(mermaidOfTrace(violation)).toMatchInlineSnapshot(`
      "sequenceDiagram
        participant H as whoever holds it
        participant S as Statehouse
        participant D as Postgres
        H->>S: the code
        S->>D: load
        Note over H,D: Time passes, until 30 s after the approval.
        S->>D: commit: tokens (the code)
        D-->>S: committed
        Note over H,D: tokens were issued 0 ms after the end of what was presented"
    `);
  });
});
