/** The results of the console's pages: values, which one place (handlers.ts) turns into responses. */
import type { Random } from '../crypto/random.ts';
import type { Markup } from '../http/views/page.ts';
import type { Answer, ManagementApi, Problem } from './management-api.ts';
import type { Me } from './sign-in.ts';

export type Area =
  | 'overview'
  | 'machines'
  | 'clients'
  | 'end-users'
  | 'grants'
  | 'sessions'
  | 'keys'
  | 'webhooks'
  | 'ledger'
  | 'configuration';

export type ShownPage = {
  readonly kind: 'page';
  readonly title: string;
  readonly body: Markup;
  readonly status?: number;
  /** Hashes of additional styles, such as those of pictures. */
  readonly styles?: readonly string[];
  /** Updates numbers, or continues a verification. Absent: none. */
  readonly script?: 'live' | 'verify';
  /** The one path of the console that the page frames. Absent: none. */
  readonly frames?: string;
};

export type Shown =
  | ShownPage
  /** A path of the console. */
  | { readonly kind: 'goTo'; readonly path: string }
  | { readonly kind: 'problem'; readonly problem: Problem }
  /** A mail as HTML, for a frame of a page. */
  | { readonly kind: 'mailFrame'; readonly html: string }
  | {
      readonly kind: 'file';
      readonly type: string;
      readonly fileName: string;
      readonly lines: AsyncIterable<string>;
    };

export const page = (title: string, body: Markup, more: Partial<ShownPage> = {}): Shown => ({
  kind: 'page',
  title,
  body,
  ...more,
});
export const goTo = (path: string): Shown => ({ kind: 'goTo', path });
export const mailFrame = (html: string): Shown => ({ kind: 'mailFrame', html });
export const problem = (problem: Problem): Shown => ({ kind: 'problem', problem });

export type Viewer = {
  readonly me: Me;
  readonly api: ManagementApi;
  readonly issuer: string;
  /** Of this server (RFC 8414); empty where it does not answer. */
  readonly metadata: () => Promise<Readonly<Record<string, unknown>>>;
  readonly random: Pick<Random, 'bytes'>;
  readonly may: (scope: string) => boolean;
  /** From `/console` on, to a path under the issuer. */
  readonly path: (path: string) => string;
  /** Hidden fields of every form. */
  readonly hidden: Markup;
};

/** The fields of a query or a form. An absent field is an empty text. */
export type Fields = {
  readonly get: (name: string) => string;
  readonly all: (name: string) => readonly string[];
};

/** The answers of the API to several requests, or the first failure. */
export async function all<Answers extends Readonly<Record<string, Promise<Answer<unknown>>>>>(
  asked: Answers,
): Promise<
  | { readonly ok: true; readonly values: { readonly [Name in keyof Answers]: ValueOf<Answers[Name]> } }
  | { readonly ok: false; readonly problem: Problem }
> {
  const names = Object.keys(asked);
  const answers = await Promise.all(Object.values(asked));
  const failed = answers.find((answer) => !answer.ok);
  if (failed && !failed.ok) return { ok: false, problem: failed.problem };
  const values = names.map((name, index) => {
    const answer = answers[index];
    return [name, answer?.ok ? answer.value : null];
  });
  return { ok: true, values: Object.fromEntries(values) };
}

type ValueOf<Asked> = Asked extends Promise<Answer<infer Value>> ? Value : never;

export type Screen = {
  /** Without parameters: ids are in the query, because they may contain any character. */
  readonly path: string;
  /** Null: of no place in the navigation. */
  readonly area: Area | null;
  /** Null: the page shows what the user may see. */
  readonly scope: string | null;
  readonly show: (viewer: Viewer, query: Fields) => Promise<Shown>;
  /** The page needs a recent sign-in: its form gives access to an account, or cannot be undone. */
  readonly needsRecentSignIn?: true;
};

export type Action = {
  readonly path: string;
  readonly area: Area | null;
  /** Null: the API decides each part. */
  readonly scope: string | null;
  readonly act: (viewer: Viewer, form: Fields) => Promise<Shown>;
  /** As in a screen. After the sign-in, the browser returns to this page with the form, and nothing was changed. */
  readonly recentSignInFor?: (form: Fields) => string;
};
