/** What the walk of the signing keys speaks of. */
import type { SigningKeyEvent } from '../../../../machines/signing-key/facts.ts';
import type { KeyChange, LoadedSigningKeys, SigningKeyCommit } from '../../../lifecycles/signing-key/lifecycle.ts';
import type { SigningAlgorithm } from '../../../model/signing-key.ts';
import type { StoredKeys } from './store.ts';

export type Asked = {
  readonly type: SigningKeyEvent['type'];
  readonly alg: SigningAlgorithm;
  /** Null: the fresh key. */
  readonly kid: string | null;
  readonly atOnce: boolean;
  /** The algorithms that the policy of the node names that asks. */
  readonly wanted: readonly SigningAlgorithm[];
};

export type Known = {
  /** The algorithms that the policy names today. */
  readonly wanted: readonly SigningAlgorithm[];
};

export type Terms = {
  readonly stored: StoredKeys;
  readonly asked: Asked;
  readonly loaded: LoadedSigningKeys;
  readonly commit: SigningKeyCommit;
  readonly answer: readonly KeyChange[];
  readonly known: Known;
};
