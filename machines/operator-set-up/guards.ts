import type { OperatorSetUpContext, OperatorSetUpEvent } from './facts.ts';

type SetUp = { context: OperatorSetUpContext };
type WithPasskey = { event: Extract<OperatorSetUpEvent, { passkey: unknown }> };
type Used = SetUp & { event: Extract<OperatorSetUpEvent, { usernameOf: unknown }> };

export const operatorSetUpGuards = {
  operatorExists: ({ context }: SetUp) => context.operator !== 'none',
  operatorIsDeclared: ({ context }: SetUp) => context.operator === 'declared',
  serverRecovered: ({ context }: SetUp) => context.liveServerEpoch !== context.serverEpoch,
  expired: ({ context, event }: Used) => event.now >= context.endsAt,
  usernameIsNotExpected: ({ context, event }: Used) =>
    context.usernames !== null && !context.usernames.includes(event.username),
  usernameIsTaken: ({ event }: Used) => event.usernameOf !== null,
  passkeyIsRegistered: ({ event }: WithPasskey) => event.passkey !== 'unregistered',
};
