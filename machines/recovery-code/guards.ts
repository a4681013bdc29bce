import { maySignIn } from '../shared/end-user.ts';
import type { RecoveryCodeContext } from './facts.ts';

type RecoveryCode = { context: RecoveryCodeContext };

export const recoveryCodeGuards = {
  userEnded: ({ context }: RecoveryCode) => !maySignIn(context.user),
};
