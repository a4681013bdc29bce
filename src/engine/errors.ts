/**
 * The two ways in which a decision cannot be made true. Neither is an OAuth error: those are outcomes, i.e. values.
 */

export type UnavailableReason = 'store_unavailable' | 'commit_unknown' | 'too_many_conflicts';

/** The store could not be reached, or conflicts did not end. HTTP answers 503, with `Retry-After` unless the commit is unknown. */
export class Unavailable extends Error {
  readonly reason: UnavailableReason;
  constructor(reason: UnavailableReason, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'Unavailable';
    this.reason = reason;
  }
}

/** Thrown by stores. `maybeCommitted`: the statement was on its way when the connection was lost. */
export class StoreUnavailable extends Error {
  readonly maybeCommitted: boolean;
  constructor(maybeCommitted: boolean, options?: ErrorOptions) {
    super('The database cannot be reached.', options);
    this.name = 'StoreUnavailable';
    this.maybeCommitted = maybeCommitted;
  }
}

/** Machine, derivation and commit disagree: a defect. Nothing was committed. */
export class InvariantViolation extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvariantViolation';
  }
}
