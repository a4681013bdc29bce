import { tableOf } from '../../engine/commit.ts';

/** One row of `used_jtis`. */
export type UsedJti = {
  /** Of the kind of the proof, its sender and its `jti` (src/crypto/jti-hash.ts): two senders may choose the same. */
  readonly hash: string;
  readonly usedAt: Date;
  readonly endsAt: Date;
};

export const USED_JTIS = tableOf<UsedJti>('usedJtis');
