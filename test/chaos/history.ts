/** The view of the clients of a run: every presentation of a refresh token, with its answer. */

/** Answers by what a client may conclude from them. */
export type Answer =
  | { readonly kind: 'issued'; readonly token: string }
  | { readonly kind: 'refused'; readonly status: number; readonly error: string }
  /** 503 with Retry-After: no row was changed. */
  | { readonly kind: 'try-again' }
  /** 503 without: the outcome is unknown. */
  | { readonly kind: 'unknown' }
  /** The connection was refused, so no server has the request. */
  | { readonly kind: 'not-sent' }
  /** The connection ended before the whole answer was there. */
  | { readonly kind: 'cut' }
  | { readonly kind: 'hung' }
  /** An answer that a server must never give, such as 500. */
  | { readonly kind: 'unclear'; readonly says: string };

export type AnswerKind = Answer['kind'];

export type Presentation = {
  readonly chain: number;
  readonly token: string;
  readonly node: string;
  /** Numbers of one sequence, for all presentations and marks: which came first. */
  readonly begunAt: number;
  readonly endedAt: number;
  readonly answer: Answer;
};

export type History = {
  /** The first token of each chain. */
  readonly first: ReadonlyMap<number, string>;
  readonly presentations: readonly Presentation[];
  /** From then on, everything was well again. */
  readonly healedAt: number;
};

/** The rows of the database in the end. */
export type StoredChain = {
  readonly state: string;
  readonly reason: string | null;
  readonly generation: number;
  readonly nonce: string;
  /** The generations that the ledger saw begin. */
  readonly ledger: readonly number[];
};

export type Place = { readonly generation: number; readonly nonce: string };

/** With these, the presentation may have been committed. */
const UNCERTAIN: ReadonlySet<AnswerKind> = new Set(['unknown', 'cut', 'hung', 'unclear']);
export const isUncertain = ({ answer }: Presentation): boolean => UNCERTAIN.has(answer.kind);
