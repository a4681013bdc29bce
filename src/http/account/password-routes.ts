/** /account/password: the end-user sets a password. */
import type { FastifyReply } from 'fastify';
import { changePassword, hasPassword, minimumOf, type PasswordDeps } from '../../people/account/password.ts';
import { queryOf, sentFields } from '../form-body.ts';
import type { PageParts } from '../page-parts.ts';
import { setLogLine } from '../request-log.ts';
import { refuseSignIn, signInForm } from '../sign-in-form.ts';
import { type PasswordView, passwordForm, problemOf } from '../views/account/password.ts';
import { PASSWORD_SCRIPT_SOURCE } from '../views/password-field.ts';
import type { AccountPages, Visit } from './pages.ts';
import type { SectionHandlers } from './route-names.ts';

export type PasswordRoutesOptions = PasswordDeps & Pick<PageParts, 'cookies'>;

const SECTION = 'password';
const CHANGED = 'changed';

export function passwordHandlers(pages: AccountPages, options: PasswordRoutesOptions): SectionHandlers<'password'> {
  const { cookies } = options;

  async function show(
    { look, session, request, send, pathOf, csrf }: Visit,
    { status = 200, problem = null }: { readonly status?: number; readonly problem?: PasswordView['problem'] },
  ): Promise<FastifyReply> {
    const view = {
      action: pathOf(),
      csrf: csrf(),
      username: session.username,
      asksForCurrent: await hasPassword(options, session),
      minimumCharacters: await minimumOf(options, session),
      problem,
    };
    return send({
      status,
      done: problem === null && queryOf(request) === CHANGED ? look.words.account.password.changed : null,
      problem: problemOf(look, problem),
      content: passwordForm(look, view),
      script: PASSWORD_SCRIPT_SOURCE,
    });
  }

  return {
    'GET /account/password': pages.page(SECTION, async (visit) =>
      // Without a password to ask for, only a recent sign-in proves the user's identity.
      visit.isRecent || (await hasPassword(options, visit.session)) ? show(visit, {}) : visit.signIn(),
    ),
    'POST /account/password': pages.form(SECTION, async (visit) => {
      const { request, reply } = visit;
      const cookie = cookies.create();
      const { userId } = visit.session;
      const outcome = await changePassword(options, visit, {
        ...sentFields(request, ['current', 'chosen', 'repeated']),
        ...signInForm(cookies, request, reply, cookie.hash, null),
      });
      switch (outcome.kind) {
        case 'changed':
          cookies.set(reply, 'session', cookie);
          setLogLine(request, 'password changed', { userId });
          return visit.goBack(CHANGED);
        case 'problem':
          setLogLine(request, 'refused', { userId, reason: `password_${outcome.problem.reason}` });
          return show(visit, { status: 400, problem: outcome.problem });
        case 'refused':
          setLogLine(request, 'refused', { userId, reason: outcome.reason });
          return show(visit, { status: 400, problem: outcome });
        case 'signInRefused': {
          const { status, problem } = refuseSignIn(
            request,
            reply,
            { ...outcome, username: visit.session.username },
            { userId },
            options.signInLedger,
          );
          return show(visit, { status, problem: { reason: 'sign_in_refused', problem } });
        }
        case 'signInAgainRequired':
        case 'signInRequired':
          return visit.signIn();
      }
    }),
  };
}
