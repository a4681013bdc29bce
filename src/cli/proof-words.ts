/** The proof of a policy as text and as JSON. */
import { holds, type Proof, type Verdict } from '../review/proof/prove.ts';
import { mermaidOfTrace, wordsOfTrace } from '../review/proof/trace.ts';

const count = (value: number) => value.toLocaleString('en-GB');

const counted = (value: number, noun: string) => `${value} ${noun}${value === 1 ? '' : 's'}`;

export function proofText(proof: Proof): string {
  const walks = proof.explorations.map(
    ({ bounds: { requests, inFlight, faults }, modelStates, steps, milliseconds }) => {
      const within = `${counted(requests, 'request')}, ${inFlight} in flight, ${counted(faults, 'fault')}`;
      return `  ${within}: ${count(modelStates)} states, ${count(steps)} steps, ${(milliseconds / 1000).toFixed(1)} s\n`;
    },
  );
  const title =
    proof.policy === null
      ? `proof of ${proof.walk.of}, under every policy`
      : `proof of policy ${proof.policy}: ${proof.walk.of}`;
  return `${title}\n${walks.join('')}${proof.verdicts.map(verdictText).join('')}`;
}

function verdictText({ invariant, violation }: Verdict): string {
  const line = `  ${violation ? 'BROKEN' : 'holds '}  ${invariant.says} (${invariant.spec})\n`;
  if (!violation) return line;
  const steps = wordsOfTrace(violation).map((words, index) => `    ${index + 1}. ${words}\n`);
  const diagram = mermaidOfTrace(violation).replaceAll(/^/gm, '    ');
  return `${line}${steps.join('')}\n${diagram}\n\n`;
}

export const proofDocument = (proof: Proof) => ({
  policy: proof.policy,
  walk: proof.walk.name,
  machines: proof.walk.machines,
  holds: holds(proof),
  walks: proof.explorations.map(({ bounds, modelStates, steps, milliseconds }) => ({
    requests: bounds.requests,
    // As it was called while the proof walked presentations alone.
    presentations: bounds.requests,
    in_flight: bounds.inFlight,
    faults: bounds.faults,
    modelStates,
    steps,
    milliseconds: Math.round(milliseconds),
  })),
  invariants: proof.verdicts.map(({ invariant, violation }) => ({
    name: invariant.name,
    says: invariant.says,
    spec: invariant.spec,
    machines: invariant.machines,
    holds: violation === null,
    ...(violation && { trace: wordsOfTrace(violation), mermaid: mermaidOfTrace(violation) }),
  })),
});

/** One line per broken invariant, for the exit status. */
export const brokenIn = (proof: Proof): string[] =>
  proof.verdicts.flatMap(({ invariant, violation }) =>
    violation
      ? [
          `${proof.policy === null ? proof.walk.of : `policy ${proof.policy}`}: broken: ${invariant.says} ${violation.words}`,
        ]
      : [],
  );
