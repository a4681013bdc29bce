/** An arm that clients and end-users share. */
import type { SharedArm } from './arm.ts';
import { reject } from './effects.ts';

export const otherThanExpected = {
  guard: 'expectationFails',
  actions: reject('changed_meanwhile'),
  description:
    'The request expects an older version of the row: no change that the administrator has not seen is lost.',
  meta: { spec: 'RFC 9110 §13.1.1' },
} as const satisfies SharedArm;
