/** A measurement: an operation, and its preconditions. */

import type { SignedIn } from '../browser.ts';
import type { Send } from '../http.ts';
import type { Target } from '../targets/target.ts';

/** The clients and browsers of one server. An operation presents, and keeps, the tokens of its index. */
export type Held = {
  codes: readonly string[];
  /** Refresh tokens at the head of their chains, and those that were rotated. */
  readonly heads: string[];
  readonly used: string[];
  readonly accessTokens: string[];
  browsers: readonly SignedIn[];
  /** Usernames. */
  newUsers: readonly string[];
};

export const holdNothing = (): Held => ({
  codes: [],
  heads: [],
  used: [],
  accessTokens: [],
  browsers: [],
  newUsers: [],
});

export type Operation = { readonly target: Target; readonly held: Held; readonly send: Send; readonly index: number };

export type Scenario = {
  readonly name: string;
  /** The number of concurrent operations; it is measured with each of these numbers in turn. */
  readonly inFlight: readonly number[];
  /** Those that leave what this one presents. They come before it. */
  readonly needs: readonly string[];
  readonly isKnownTo: (target: Target) => boolean;
  /** Is not measured. */
  readonly prepare: (target: Target, held: Held, count: number) => Promise<void>;
  /** @throws Error when it does not end as it should. */
  readonly operate: (operation: Operation) => Promise<void>;
};

export const always = () => true;
export const nothing = async () => {};
