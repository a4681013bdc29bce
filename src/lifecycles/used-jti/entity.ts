import { tableOf } from '../../engine/commit.ts';

/** One row of `used_jtis`. */
export type UsedJti = {
  /** Of the sender and the `jti` of the proof (src/crypto/jti-hash.ts, src/guard/dpop-proof.ts): two senders may choose the same `jti`. */
  readonly hash: string;
  readonly usedAt: Date;
  readonly endsAt: Date;
};

export const USED_JTIS = tableOf<UsedJti>('usedJtis');
