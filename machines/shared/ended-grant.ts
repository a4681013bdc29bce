/**
 * The rejections of a revoked code or refresh token. A raised epoch has a reason of its own: first the client's, then the
 * end-user's, then the server's. Every end that the grant's row records is `grant_revoked`, and the row keeps the reason.
 */
import type { SharedArm } from './arm.ts';
import { reject } from './effects.ts';

export const rejectWithWhatEndedTheGrant = [
  {
    guard: 'endedByClient',
    actions: reject('client_ended'),
    description: 'The client was deleted after the approval.',
    meta: { spec: 'RFC 7592 §2.3' },
  },
  {
    guard: 'endedByUser',
    actions: reject('user_ended'),
    description: 'The end-user was disabled, or got a new password, after the approval.',
    meta: { spec: 'RFC 9700 §4.14.2' },
  },
  {
    guard: 'endedByServer',
    actions: reject('server_epoch_raised'),
    description: 'The operator ended all older grants, as after restoring a backup.',
    meta: { spec: 'RFC 9700 §4.14.2' },
  },
  {
    actions: reject('grant_revoked'),
    description: 'The grant was revoked before.',
    meta: { spec: 'RFC 6749 §5.2' },
  },
] as const satisfies readonly SharedArm[];
