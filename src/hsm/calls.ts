/** What the server asks of the thread that talks to the device, and what that answers. */
import type { PublicJwk } from '../crypto/signing-keys.ts';
import type { SigningAlgorithm } from '../oauth/signing-algorithms.ts';

export type Call =
  | { readonly call: 'make'; readonly alg: SigningAlgorithm }
  | { readonly call: 'sign'; readonly kid: string; readonly alg: SigningAlgorithm; readonly input: Uint8Array }
  | { readonly call: 'destroy'; readonly kid: string }
  | { readonly call: 'check' };

/** What each call answers. */
export type Answers = {
  readonly make: { readonly kid: string; readonly publicJwk: PublicJwk };
  readonly sign: Uint8Array;
  readonly destroy: null;
  readonly check: null;
};

export type Failure = {
  /** What is the matter, for operators: no secret, and no PIN. */
  readonly words: string;
  /** The PIN, the token or the library is wrong: asking again cannot help, and a PIN that is tried again is locked. */
  readonly isFinal: boolean;
};

export type Question = Call & { readonly id: number };
export type Reply =
  | { readonly id: number; readonly answer: Answers[Call['call']] }
  | { readonly id: number; readonly failure: Failure };
