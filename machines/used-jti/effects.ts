import { rejectWith, shared } from '../shared/effects.ts';
import type { UsedJtiRejectReason } from './facts.ts';

export const usedJtiEffects = {
  reject: rejectWith<UsedJtiRejectReason>(),
  accept: shared.accept,
  /** Store a hash of it until the proof has expired. */
  recordJti(): void {},
};
