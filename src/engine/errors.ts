/**
 * The two ways in which a decision cannot be carried out. Neither is an OAuth error: those are outcomes, that is,
 * values.
 */

export type UnavailableReason = 'store_unavailable' | 'commit_unknown' | 'too_many_conflicts' | 'signing_unavailable';

/**
 * The store or the signing device failed, or conflicts did not end. HTTP answers 503, with `Retry-After` unless the
 * commit is unknown.
 */
export class Unavailable extends Error {
  readonly reason: UnavailableReason;
  constructor(reason: UnavailableReason, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'Unavailable';
    this.reason = reason;
  }
}

export type StoreFailure = ErrorOptions & {
  /** The predicate of the message: "The database …". */
  readonly words?: string;
  /** The error code, and the message of the database or of TLS. Null: there was no message. */
  readonly said?: string | null;
  /** The advice to the operator, as a sentence. */
  readonly advice?: string | null;
  /** SQLSTATE, or the code of the driver or the operating system. Null: the error has none. */
  readonly code?: string | null;
  /** True for a failure that is unusual for a database: probably a defect that an engineer should look at. */
  readonly isUnexpected?: boolean;
};

/** Thrown by stores. `maybeCommitted`: the connection was lost after the statement was sent. */
export class StoreUnavailable extends Error {
  readonly maybeCommitted: boolean;
  readonly code: string | null;
  readonly isUnexpected: boolean;
  constructor(maybeCommitted: boolean, failure: StoreFailure = {}) {
    const {
      words = 'cannot be reached',
      said = null,
      advice = null,
      code = null,
      isUnexpected = false,
      ...options
    } = failure;
    const quoted = said === null ? '' : ` (${said})`;
    super(`The database ${words}${quoted}.${advice === null ? '' : ` ${advice}`}`, options);
    this.name = 'StoreUnavailable';
    this.maybeCommitted = maybeCommitted;
    this.code = code;
    this.isUnexpected = isUnexpected;
  }
}

/** Machine, derivation and commit disagree: a defect. The store has committed nothing. */
export class InvariantViolation extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvariantViolation';
  }
}
