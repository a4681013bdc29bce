/** The tone of arms: something is issued, or something ends or is rejected. Null: neither. */
import type { Arm } from '../../catalogue/read.ts';

export type Tone = 'issues' | 'ends';

const ISSUES = ['issueTokens', 'issueCode', 'beginSigning', 'admit'];
const ENDS = [
  'reject',
  'revokeGrant',
  'writeRevoked',
  'raiseEpoch',
  'endSession',
  'refuseAuthorization',
  'refuseSilently',
  'retire',
];

export function toneOf(arms: readonly Arm[]): Tone | null {
  const effects = arms.flatMap((arm) => arm.effects.map(({ name }) => name));
  if (effects.some((name) => ISSUES.includes(name))) return 'issues';
  return effects.some((name) => ENDS.includes(name)) ? 'ends' : null;
}
