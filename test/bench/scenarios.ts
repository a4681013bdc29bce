/** The four requests that are measured. Each round walks them in this order: what one leaves, the next presents. */
import type { TokenAnswer } from './load.ts';
import { REDIRECT_URI, SCOPE, VERIFIER } from './setting.ts';

/** What the client of one server holds in one round. */
export type Held = { readonly codes: readonly string[]; heads: readonly string[]; used: readonly string[] };

export type Scenario = {
  readonly name: string;
  readonly expectedStatus: number;
  readonly fields: (held: Held, index: number) => Readonly<Record<string, string>>;
  /** Keeps what later scenarios present. */
  readonly keep: (held: Held, answers: readonly TokenAnswer[]) => void;
};

export const clientCredentials: Scenario = {
  name: 'client credentials',
  expectedStatus: 200,
  fields: () => ({ grant_type: 'client_credentials', scope: SCOPE.join(' ') }),
  keep: () => {},
};

export const codeExchange: Scenario = {
  name: 'code exchange',
  expectedStatus: 200,
  fields: ({ codes }, index) => exchangeFields(codes[index]),
  keep: (held, answers) => {
    held.heads = refreshTokensOf(answers);
  },
};

export const rotation: Scenario = {
  name: 'rotation',
  expectedStatus: 200,
  fields: ({ heads }, index) => refreshFields(heads[index]),
  keep: (held, answers) => {
    held.used = held.heads;
    held.heads = refreshTokensOf(answers);
  },
};

export const reuse: Scenario = {
  name: 'reuse',
  expectedStatus: 400,
  fields: ({ used }, index) => refreshFields(used[index]),
  keep: () => {},
};

export const scenarios: readonly Scenario[] = [clientCredentials, codeExchange, rotation, reuse];

export const exchangeFields = (code = '', verifier = VERIFIER) => ({
  grant_type: 'authorization_code',
  code,
  code_verifier: verifier,
  redirect_uri: REDIRECT_URI,
});

export const refreshFields = (refreshToken = '') => ({ grant_type: 'refresh_token', refresh_token: refreshToken });

const refreshTokensOf = (answers: readonly TokenAnswer[]): string[] =>
  answers.map(({ text }) => (JSON.parse(text) as { refresh_token: string }).refresh_token);
