import type { TrustedBrowserContext, TrustedBrowserEvent } from './facts.ts';

type Trust = { context: TrustedBrowserContext };
type Asked = Trust & { event: Extract<TrustedBrowserEvent, { now: unknown }> };

export const trustedBrowserGuards = {
  timeIsOver: ({ context, event }: Asked) => event.now >= context.endsAt,
  factorIsGone: ({ context }: Trust) => !context.factorStands,
  proofIsDemanded: ({ event }: Asked) => event.proofIsDemanded,
  endedByUser: ({ context }: Trust) => context.endedBy === 'user',
  endedByServer: ({ context }: Trust) => context.endedBy === 'server',
};
