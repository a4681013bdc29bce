/** The model check passes for the shipped policies, within the bounds of `statehouse check --proof`, and its violations are readable. */
import { describe, expect, it } from 'vitest';
import type { AuthorizationWalk } from '../../../src/lifecycles/grant/walk/ports.ts';
import { commitGrant } from '../../../src/lifecycles/grant/walk/ports.ts';
import { authorizations } from '../../../src/lifecycles/grant/walk/walk.ts';
import { explore, firstMoment } from '../../../src/review/proof/explore.ts';
import { holds, proofOf, prove } from '../../../src/review/proof/prove.ts';
import { mermaidOfTrace, wordsOfTrace } from '../../../src/review/proof/trace.ts';
import type { Bounds } from '../../../src/review/proof/walk.ts';
import { underEveryPolicy } from '../../../src/review/proof/walks.ts';
import { shippedConfiguration } from '../../support/app.ts';

const policies = [...shippedConfiguration.policies].map(([name, policy]) => ({ name, ...policy }));
const [policy] = policies;
if (!policy) throw new Error('no policy');
const FEW: Bounds = { requests: 3, inFlight: 2, faults: 1 };

describe('the model check', () => {
  it.each(policies)('passes under the policy $name', (one) => {
    const proof = prove(one, [FEW]);
    expect(proof.verdicts.filter(({ violation }) => violation).map(({ violation }) => violation?.words)).toEqual([]);
    expect(holds(proof)).toBe(true);
    expect(proof.verdicts).toHaveLength(15);
  });

  // A check that reaches few states would pass, too. Most walks have more than 10,000.
  const least: Readonly<Record<string, number>> = {
    'external-sign-ins': 4000,
    factors: 4000,
    'trusted-browsers': 4000,
    'operator-set-ups': 4000,
    'pushed-requests': 2000,
    'client-documents': 1500,
    'client-registrations': 300,
    'used-jtis': 4000,
  };
  it.each(underEveryPolicy.map((walk) => [walk.name, walk] as const))(
    'passes for %s, under every policy',
    (name, walk) => {
      const { explorations, verdicts } = proofOf(walk, null);
      expect(verdicts.flatMap(({ violation }) => (violation ? [wordsOfTrace(violation)] : []))).toEqual([]);
      expect(explorations[0]?.modelStates).toBeGreaterThan(least[name] ?? 10_000);
    },
  );

  it('walks each machine', () => {
    expect(underEveryPolicy.map(({ machines }) => machines)).toEqual([
      ['authorizationCode', 'refreshToken', 'grant'],
      ['interaction', 'session'],
      ['secondFactor', 'recoveryCode', 'passkey'],
      ['trustedBrowser'],
      ['externalSignIn', 'linkedIdentity'],
      ['signInCode'],
      ['signingKey'],
      ['client', 'user'],
      ['emailChallenge', 'user', 'passkey'],
      ['webhookDelivery'],
      ['mail'],
      ['operatorSetUp'],
      ['pushedRequest'],
      ['clientDocument', 'client'],
      ['clientRegistration', 'client'],
      ['usedJti'],
    ]);
  });

  it('reaches the states of interest', () => {
    // A check that reaches no state would pass, too.
    const { modelStates: portsOfEach } = explore(authorizations(policy), FEW);
    expect(portsOfEach).toBeGreaterThan(4000);
    expect(explore(authorizations(policy), { ...FEW, requests: 4 }).modelStates).toBeGreaterThan(portsOfEach);
    expect(explore(authorizations(policy), { ...FEW, inFlight: 3 }).modelStates).toBeGreaterThan(portsOfEach);
    expect(explore(authorizations(policy), { ...FEW, faults: 0 }).modelStates).toBeLessThan(portsOfEach);
  });

  it('begins with an approval whose code has not been presented', () => {
    const walk = authorizations(policy);
    const [one] = walk.initialStates;
    if (!one) throw new Error('no initial state');
    expect(firstMoment(walk, one, FEW)).toMatchObject({
      known: { tokens: [], spent: [] },
      flights: [],
      stored: { grant: { state: 'active' } },
    });
  });

  it('reports the shortest path to a violation, as sentences and as a sequence diagram', () => {
    // A commit without a comparison: the first loader gets tokens from an ended chain.
    const blind: AuthorizationWalk = {
      ...authorizations(policy),
      commit: (stored, commit, now) => commitGrant(stored, commit, now, {}),
    };
    const [violation] = explore(blind, FEW, true).violations;
    if (!violation) throw new Error('nothing was found');
    expect(wordsOfTrace(violation)).toMatchInlineSnapshot(`
      [
        "The end-user approves; the code is on its way to the client.",
        "A client presents the code; the server loads its row.",
        "Time passes, until 30 s after the approval.",
        "The server commits, for the code: tokens are issued.",
        "So tokens were issued 0 ms after the end of what was presented.",
      ]
    `);
    expect(mermaidOfTrace(violation)).toMatchInlineSnapshot(`
      "sequenceDiagram
        participant H as the holder
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
