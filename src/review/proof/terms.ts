/** The kinds of values that a walk speaks of, and how far it goes. */

/** The kinds of values that a walk speaks of. All are plain data that is never changed. */
export type Terms = {
  /** The rows of the database. */
  readonly stored: object;
  /** A request as it was sent. */
  readonly asked: object;
  readonly loaded: object;
  readonly commit: object;
  readonly answer: unknown;
  /** The memory of the actors outside: the credentials that left, the answers that arrived. Invariants read it. */
  readonly known: object;
};

export type Bounds = {
  /** How many requests are sent. */
  readonly requests: number;
  /** How many of them are in flight together. */
  readonly inFlight: number;
  /** The number of faults: time, crashes, lost answers, actions of people, backups. */
  readonly faults: number;
};

/** An act that is not a request to a lifecycle: by an operator, a sign-in, an edit of the policy. */
export type Action<T extends Terms> = {
  readonly says: string;
  readonly stored: T['stored'];
  /** Absent: clients and end-users remember nothing else. */
  readonly known?: T['known'];
};
