/** The proofs that `check` runs when it is asked for them. Only then is this file loaded. */
import type { NamedPolicy } from '../config/configuration.ts';
import { holds, type Proof, prove, proveForEveryPolicy } from '../review/proof/prove.ts';
import type { Bounds } from '../review/proof/walk.ts';
import { brokenIn, proofDocument, proofText } from './proof-words.ts';

/** The results of the model check, in the forms in which `check` prints them. */
export type ProofReport = {
  readonly holds: boolean;
  readonly text: string;
  readonly ofPolicies: readonly object[];
  /** Of what does not depend on a policy. */
  readonly forEveryPolicy: readonly object[];
  /** One line per broken invariant. */
  readonly broken: readonly string[];
};

/** @param bounds of the walks of a policy; undefined: those that each walk has. */
export const provePolicies = (policies: readonly NamedPolicy[], bounds: readonly Bounds[] | undefined): ProofReport =>
  reportOf(
    policies.map((policy) => prove(policy, bounds)),
    [],
  );

/** The same, and what holds under every policy. */
export const proveEverything = (policies: readonly NamedPolicy[], bounds: readonly Bounds[] | undefined): ProofReport =>
  reportOf(
    policies.map((policy) => prove(policy, bounds)),
    proveForEveryPolicy(),
  );

function reportOf(ofPolicies: readonly Proof[], forEveryPolicy: readonly Proof[]): ProofReport {
  const all = [...ofPolicies, ...forEveryPolicy];
  return {
    holds: all.every(holds),
    text: all.map((proof) => `\n${proofText(proof)}`).join(''),
    ofPolicies: ofPolicies.map(proofDocument),
    forEveryPolicy: forEveryPolicy.map(proofDocument),
    broken: all.flatMap(brokenIn),
  };
}
