/** The calls of the server to the thread that uses the device, and their results. */
import type { PublicJwk } from '../crypto/signing-keys.ts';
import type { SigningAlgorithm } from '../oauth/signing-algorithms.ts';

export type Call =
  | { readonly call: 'make'; readonly alg: SigningAlgorithm }
  | { readonly call: 'sign'; readonly kid: string; readonly alg: SigningAlgorithm; readonly input: Uint8Array }
  | { readonly call: 'destroy'; readonly kid: string }
  | { readonly call: 'check' };

/** The result of each call. */
export type Answers = {
  readonly make: { readonly kid: string; readonly publicJwk: PublicJwk };
  readonly sign: Uint8Array;
  readonly destroy: null;
  readonly check: null;
};

export type Failure = {
  /** The problem, for operators: no secret, and no PIN. */
  readonly words: string;
  /** The PIN, the token or the library is wrong: asking again cannot help, and a PIN that is tried again is locked. */
  readonly isFinal: boolean;
};

export type Question = Call & { readonly id: number };
export type Reply =
  | { readonly id: number; readonly answer: Answers[Call['call']] }
  | { readonly id: number; readonly failure: Failure };
