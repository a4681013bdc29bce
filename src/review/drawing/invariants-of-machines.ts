/** Which machines each invariant of the proof speaks of. */
import { INVARIANTS, type Invariant } from '../proof/invariants.ts';

const MACHINES: Readonly<Record<string, readonly string[]>> = {
  'one-live-refresh-token': ['refreshToken', 'grant'],
  'reuse-ends-the-chain': ['authorizationCode', 'refreshToken', 'grant'],
  'code-once': ['authorizationCode', 'grant'],
  'wrong-changes-nothing': ['authorizationCode', 'refreshToken'],
  'nothing-dead-issues': ['authorizationCode', 'refreshToken', 'grant'],
  'never-wider': ['authorizationCode', 'refreshToken'],
  'one-head': ['refreshToken'],
  'always-answered': ['authorizationCode', 'refreshToken', 'grant'],
  'right-is-served': ['authorizationCode', 'refreshToken'],
};

export function invariantsOf(machine: string): readonly Invariant[] {
  return INVARIANTS.filter(({ name }) => {
    const machines = MACHINES[name];
    if (machines === undefined) throw new Error(`say in invariants-of-machines.ts which machines "${name}" is about`);
    return machines.includes(machine);
  });
}
