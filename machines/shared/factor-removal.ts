/** The removal of a passkey and of a second factor, and its rejections: the arms that both machines share. */
import type { SharedArm } from './arm.ts';
import { reject } from './effects.ts';

export const rejectEndedUser = {
  guard: 'userEnded',
  actions: reject('user_ended'),
  description: 'The end-user was disabled or deleted.',
} as const satisfies SharedArm;

export const stayRemoved = { description: 'It was removed already.' } as const satisfies SharedArm;

export const removeLost = {
  target: 'removed',
  actions: 'removeFactor',
  description: 'The end-user has lost it, and shown password and mailbox; sessions and grants have ended.',
  meta: { spec: 'NIST SP 800-63B-4 §4.2.2, §4.3' },
} as const satisfies SharedArm;

/** Before the arm that removes, where the end-user asks. */
export const rejectRemovalByUser = [
  {
    guard: 'byPasswordAlone',
    actions: reject('factor_not_proven'),
    description: 'A password alone removes no factor: a thief of the password could.',
    meta: { spec: 'NIST SP 800-63B-4 §4.1.2' },
  },
  {
    guard: 'isDemanded',
    actions: reject('factor_is_demanded'),
    description: 'The policy demands a second factor, and the end-user has no other.',
  },
] as const satisfies readonly SharedArm[];
