import type { RecoveryCodeContext } from './facts.ts';

type RecoveryCode = { context: RecoveryCodeContext };

export const recoveryCodeGuards = {
  userEnded: ({ context }: RecoveryCode) => context.userEnded,
};
