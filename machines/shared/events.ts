/**
 * The types that join events and guards: the compiler permits a guard only at events that have the fields which the guard reads.
 */
import type { Meta } from './arm.ts';

type AnyEvent = { readonly type: string };

/** The guards as `setup` of XState wants them, as if each could be asked at every event. */
export type AtEveryEvent<Guards, Context, Event> = {
  [Name in keyof Guards]: (asked: { context: Context; event: Event }) => boolean;
};

/** The guards that an event has the fields for. */
type GuardsAt<Guards, Event> = {
  // biome-ignore lint/suspicious/noExplicitAny: XState holds the context; this type is about the event.
  [Name in keyof Guards]: Guards[Name] extends (asked: { context: any; event: Event }) => boolean ? Name : never;
}[keyof Guards];

/** Of the union; several types may share their fields. */
type EventOf<Event extends AnyEvent, Type> = Event extends AnyEvent
  ? Type extends Event['type']
    ? Event
    : never
  : never;

type Arm<Guard> = {
  /** A name, or an expression of names with `and`, `or` and `not`. */
  readonly guard?: Guard | object;
  readonly target?: string;
  readonly actions?: unknown;
  readonly description?: string;
  readonly meta?: Meta;
};

/** The states of a machine: each answers every event, and reads only the fields that the event has. */
export type Answers<Guards, Event extends AnyEvent> = Readonly<
  Record<
    string,
    {
      readonly description: string;
      readonly meta?: Meta;
      readonly on: {
        readonly [Type in Event['type']]:
          | Arm<GuardsAt<Guards, EventOf<Event, Type>>>
          | readonly Arm<GuardsAt<Guards, EventOf<Event, Type>>>[];
      };
    }
  >
>;
