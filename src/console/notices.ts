/** Pages that explain why the console does not show or do something, and the next step. */
import { html } from 'ghtml';
import type { Problem } from './management-api.ts';
import type { ShownPage } from './shown.ts';
import { shownText } from './shown-text.ts';
import type { SignInFailed } from './sign-in.ts';

export type Notice = {
  readonly title: string;
  readonly status: number;
  readonly words: readonly string[];
  readonly problems?: readonly { readonly field: string; readonly detail: string }[];
  /** Paths under the issuer. */
  readonly links: readonly { readonly path: string; readonly label: string }[];
};

export const noticePage = (
  { title, status, words, links, problems = [] }: Notice,
  path: (path: string) => string,
): ShownPage => ({
  kind: 'page',
  title,
  status,
  body: html`!${words.map((paragraph) => html`<p>${paragraph}</p>`).join('')}
!${problems.length === 0 ? '' : html`<ul class="problems">!${problems.map(({ field, detail }) => html`<li><code>${shownText(field)}</code> ${shownText(detail)}</li>`).join('')}</ul>`}
!${links.length === 0 ? '' : html`<p class="row">!${links.map((link) => html`<a class="button" href="${path(link.path)}">${link.label}</a>`).join('')}</p>`}`,
});

const AGAIN = { path: '/console', label: 'Open the console' };
const ANOTHER = { path: '/console/sign-in?as=another', label: 'Sign in as another user' };

export const SIGN_IN_NOTICES: Readonly<
  Record<SignInFailed['reason'] | 'closed' | 'renew' | 'form_refused' | 'signed_out', Notice>
> = {
  closed: {
    title: 'The console is closed',
    status: 404,
    words: [
      'policies/operators.yaml names no user, so the console admits none. Name an operator or an auditor there by username. The server reads the file without a restart.',
      'On a new server without an operator, "statehouse operators set-up" prints a link that makes the first one. Run it where the server has its environment.',
    ],
    links: [],
  },
  not_begun_here: {
    title: 'This sign-in did not begin in this browser',
    status: 400,
    words: ['Or it began too long ago, or its cookie is missing. Nothing was changed.'],
    links: [AGAIN],
  },
  refused: {
    title: 'Access denied',
    status: 403,
    words: [
      'Either you did not allow the console access on the previous page, or you are not an operator or auditor of this server (policies/operators.yaml).',
    ],
    links: [AGAIN, ANOTHER],
  },
  no_token: {
    title: 'The sign-in did not succeed',
    status: 502,
    words: ['The token endpoint issued no token, perhaps because you reloaded this page.'],
    links: [AGAIN],
  },
  no_role: {
    title: 'You have no role here',
    status: 403,
    words: [
      'You are signed in, but are not an operator or auditor of this server. policies/operators.yaml names them by username.',
    ],
    links: [ANOTHER],
  },
  api_unavailable: {
    title: 'Not available right now',
    status: 503,
    words: ['The management API did not answer. Wait a moment, then reload this page.'],
    links: [],
  },
  renew: {
    title: 'Sign in again',
    status: 403,
    words: [
      'The form was open for too long, or your sign-in has ended. Nothing was changed. Renew the sign-in, then go back in the browser and submit the form again.',
    ],
    links: [{ path: '/console', label: 'Renew the sign-in' }],
  },
  form_refused: {
    title: 'This form cannot be accepted',
    status: 403,
    words: [
      'This server did not make it for this browser and for you, or it was modified in transit. Nothing was changed.',
    ],
    links: [AGAIN],
  },
  signed_out: {
    title: 'Signed out of the console',
    status: 200,
    words: ['The console no longer has access. You are still signed in to this server in this browser.'],
    links: [AGAIN, { path: '/oauth/logout', label: 'Sign out of this server too' }],
  },
};

/** The text for a problem from the API. */
export function problemNotice({ status, title, detail, errors, missingScope }: Problem): Notice {
  const problems = errors.map((error) => ({ field: error.field ?? '', detail: error.detail }));
  if (status === 403) {
    const needs = missingScope === null ? 'a scope that you do not have' : `the scope ${missingScope}`;
    return {
      title: 'Your role does not allow this',
      status,
      words: [`This needs ${needs}. policies/operators.yaml assigns the scopes. Nothing was changed.`],
      links: [],
    };
  }
  if (status >= 500) return { ...SIGN_IN_NOTICES.api_unavailable, status: 503, words: [detail || title] };
  if (status === 412) {
    return {
      title: 'Another change came first',
      status,
      words: [
        'Another user changed it after you opened this form. Your change was not saved. Go back, reload the page, and check it.',
      ],
      links: [],
    };
  }
  return { title, status, words: detail === '' ? [] : [detail], problems, links: [] };
}
