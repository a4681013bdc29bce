import type { ClientDocumentContext, ClientDocumentEvent } from './facts.ts';

type Document = { context: ClientDocumentContext };
type Timed = Document & { event: Extract<ClientDocumentEvent, { now: unknown }> };
type Described = Document & { event: Extract<ClientDocumentEvent, { type: 'described' }> };

/** Every constant that a guard may name: a guard compares facts with facts, and writes no value of its own. */
export const BOUNDS = {
  /** Between a fetch that failed and the next. */
  backOffMilliseconds: 60_000,
  /** After the last valid document, while its origin does not answer. */
  usableMilliseconds: 86_400_000,
} as const;

export const clientDocumentGuards = {
  isVetted: ({ context }: Document) => context.isVetted,
  isDeleted: ({ context }: Document) => context.isDeleted,
  originIsNotAllowed: ({ context }: Document) => !context.originIsAllowed,
  isFresh: ({ context, event }: Timed) => context.freshUntil !== null && event.now < context.freshUntil,
  hasJustFailed: ({ context, event }: Timed) =>
    context.failedAt !== null && event.now - context.failedAt < BOUNDS.backOffMilliseconds,
  isUsable: ({ context, event }: Timed) =>
    context.fetchedAt !== null && event.now - context.fetchedAt < BOUNDS.usableMilliseconds,
  dropsAuthentication: ({ context, event }: Described) => context.hasKey && !event.hasKey,
  tooManyAreStored: ({ context }: Document) => context.othersStored >= context.mostStored,
};
