/** The proof of a policy as text and as JSON. */
import { holds, type Proof, type Verdict } from '../review/proof/prove.ts';
import { mermaidOfTrace, wordsOfTrace } from '../review/proof/trace.ts';

const count = (value: number) => value.toLocaleString('en-GB');

export function proofText(proof: Proof): string {
  const walks = proof.explorations.map(
    ({ bounds: { presentations, inFlight, disturbances }, worlds, moves, milliseconds }) => {
      const within = `${presentations} presentations, ${inFlight} under way at once, ${disturbances} disturbance${disturbances === 1 ? '' : 's'}`;
      return `  ${within}: ${count(worlds)} moments, ${count(moves)} steps, ${(milliseconds / 1000).toFixed(1)} s\n`;
    },
  );
  return `proof of policy ${proof.policy}\n${walks.join('')}${proof.verdicts.map(verdictText).join('')}`;
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
  holds: holds(proof),
  walks: proof.explorations.map(({ bounds, worlds, moves, milliseconds }) => ({
    presentations: bounds.presentations,
    in_flight: bounds.inFlight,
    disturbances: bounds.disturbances,
    moments: worlds,
    steps: moves,
    milliseconds: Math.round(milliseconds),
  })),
  invariants: proof.verdicts.map(({ invariant, violation }) => ({
    name: invariant.name,
    says: invariant.says,
    spec: invariant.spec,
    holds: violation === null,
    ...(violation && { trace: wordsOfTrace(violation), mermaid: mermaidOfTrace(violation) }),
  })),
});

/** One line per broken invariant, for the exit status. */
export const brokenIn = (proof: Proof): string[] =>
  proof.verdicts.flatMap(({ invariant, violation }) =>
    violation ? [`policy ${proof.policy}: broken: ${invariant.says} ${violation.words}`] : [],
  );
