/** A browser in which an end-user has signed in. */

export type Session = {
  readonly sid: string;
  readonly userId: string;
  readonly username: string;
  readonly userEpoch: bigint;
  readonly serverEpoch: bigint;
  readonly signedInAt: Date;
};
