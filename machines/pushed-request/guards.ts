import type { PushedRequestContext, PushedRequestEvent } from './facts.ts';

type Pushed = { context: PushedRequestContext };
type Opened = Pushed & { event: Extract<PushedRequestEvent, { now: unknown }> };

export const pushedRequestGuards = {
  tooManyAreOpen: ({ context }: Pushed) => context.othersOpen >= context.mostOpen,
  ofAnotherClient: ({ context, event }: Opened) => event.clientId !== context.clientId,
  expired: ({ context, event }: Opened) => event.now >= context.endsAt,
};
