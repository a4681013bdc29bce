/** `spec`: the sections that demand, recommend or permit a state or an arm. Declared to XState, so that a misspelt key does not compile. */
export type Meta = { readonly spec?: string };

/** For arms that several states share: the compiler finds unknown keys only where an object literal is written. */
export type SharedArm = {
  readonly guard?: unknown;
  readonly target?: string;
  readonly actions?: unknown;
  readonly description: string;
  readonly meta?: Meta;
};
