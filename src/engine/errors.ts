/**
 * The two ways in which a decision cannot be made true. Neither is an OAuth error: those are outcomes, i.e. values.
 */

export type UnavailableReason = 'store_unavailable' | 'commit_unknown' | 'too_many_conflicts' | 'signing_unavailable';

/** The store or the device that signs failed, or conflicts did not end. HTTP answers 503, with `Retry-After` unless the commit is unknown. */
export class Unavailable extends Error {
  readonly reason: UnavailableReason;
  constructor(reason: UnavailableReason, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'Unavailable';
    this.reason = reason;
  }
}

export type StoreFailure = ErrorOptions & {
  /** What is the matter: "The database …". */
  readonly words?: string;
  /** Its code, and what the database or TLS said; null: it said nothing. */
  readonly said?: string | null;
  /** What to do, as a sentence. */
  readonly advice?: string | null;
  /** SQLSTATE, or the code of the driver or the operating system; null: it has none. */
  readonly code?: string | null;
  /** No failure that a database has now and then: probably a defect, and worth a look. */
  readonly isUnexpected?: boolean;
};

/** Thrown by stores. `maybeCommitted`: the statement was on its way when the connection was lost. */
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

/** Machine, derivation and commit disagree: a defect. Nothing was committed. */
export class InvariantViolation extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvariantViolation';
  }
}
