/** /operator/set-up: HTTP around src/people/operator-set-up. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { classNamed } from '../oauth/authentication-methods.ts';
import { pathUnder } from '../oauth/urls.ts';
import { SET_UP_PATH } from '../people/operator-set-up/issue.ts';
import {
  type OperatorSetUpDeps,
  type SetUpOutcome,
  submitSetUp,
  type UsableSetUp,
  type UselessSetUp,
  viewSetUp,
} from '../people/operator-set-up/use.ts';
import type { SecondFactorDeps } from '../people/second-factor/deps.ts';
import { firstRecoveryCodes } from '../people/second-factor/set-up.ts';
import { isAdministrator } from '../protocol/administrators.ts';
import { findAnySession } from '../protocol/browser-session.ts';
import { formPurpose } from '../protocol/form-purpose.ts';
import type { SignInDeps } from '../protocol/sign-in.ts';
import { addressKey } from './address-key.ts';
import { callerGone } from './caller-gone.ts';
import { showRecoveryCodes } from './factor-pages.ts';
import { askedField, sentFields } from './form-body.ts';
import { refuseForm } from './form-refused.ts';
import { lookOf } from './look.ts';
import { passkeyOfNewAccount, refuseNewAccount, signInNewAccount } from './new-account.ts';
import type { OperatorHandlers } from './operator-route-names.ts';
import type { PageParts } from './page-parts.ts';
import { setLogLine } from './request-log.ts';
import { seeOther, sendPage } from './security-headers.ts';
import {
  operatorMadePage,
  operatorSetUpPage,
  type SetUpPageView,
  setUpPasskeyFields,
  uselessSetUpPage,
} from './views/operator-set-up.ts';
import { PASSWORD_SCRIPT_SOURCE } from './views/password-field.ts';

export type OperatorRoutesOptions = OperatorSetUpDeps &
  SignInDeps &
  PageParts &
  Pick<SecondFactorDeps, 'recoveryCodes'>;

const DONE_PATH = `${SET_UP_PATH}/done`;
const STATUS: Readonly<Partial<Record<UselessSetUp, number>>> = { set_up_unknown: 404 };

export function operatorHandlers(options: OperatorRoutesOptions): OperatorHandlers {
  const { issuer, cookies, csrf } = options;
  const path = (below: string) => pathUnder(issuer, below);

  return {
    'GET /operator/set-up': async (request, reply) => {
      const secret = askedField(request, 't');
      const view = await viewSetUp(options, secret);
      if (view.kind === 'useless') return sendUseless(request, reply, view.reason);
      return show(request, reply, 200, view, { secret: secret ?? '', username: '', problem: null });
    },
    'POST /operator/set-up': async (request, reply) => {
      const { t: secret, ...sent } = sentFields(request, ['t', 'username', 'password', 'credential']);
      const outcome = await submitSetUp(options, {
        ...sent,
        secret,
        browser: cookies.hash(request, 'browser'),
        isOurForm: csrf.checkOf(request),
        network: addressKey(request.ip, request.socket.remoteAddress ?? ''),
        gone: callerGone(reply),
      });
      return answer(request, reply, outcome, secret ?? '');
    },
    'GET /operator/set-up/done': async (request, reply) => {
      const { session } = await findAnySession(options, cookies.hash(request, 'session'));
      const { username } = session ?? {};
      if (username === undefined || !isAdministrator(options.configuration(), username)) return reply.callNotFound();
      const view = { username, isDeclared: isDeclared(username), console: path('/console') };
      return sendPage(reply, 200, operatorMadePage(await lookOf(request), view));
    },
  };

  function isDeclared(username: string): boolean {
    const key = options.users.keyOf(username);
    return options.declaredOperators().some((declared) => options.users.keyOf(declared) === key);
  }

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    { username: given, minimumCharacters, formPurpose }: UsableSetUp,
    shown: Pick<SetUpPageView, 'secret' | 'username' | 'problem'>,
  ): Promise<FastifyReply> {
    const token = csrf.token(request, reply, formPurpose);
    const view = { ...shown, action: path(SET_UP_PATH), csrf: token, given, minimumCharacters };
    const look = await lookOf(request);
    const passkey = await passkeyOfNewAccount(options, request, reply, look, {
      action: view.action,
      csrf: token,
      formPurpose,
      secret: shown.secret,
      name: given ?? '',
      hidden: setUpPasskeyFields(shown.secret),
      button: look.words.operatorSetUp.withPasskey,
    });
    const html = operatorSetUpPage(look, { ...view, passkey: passkey?.markup ?? null });
    return sendPage(reply, status, html, PASSWORD_SCRIPT_SOURCE, passkey?.script);
  }

  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    outcome: SetUpOutcome,
    secret: string,
  ): Promise<FastifyReply> {
    switch (outcome.kind) {
      case 'formRefused':
        return refuseForm(request, reply);
      case 'useless':
        return sendUseless(request, reply, outcome.reason);
      case 'again': {
        const { problem, view, username } = outcome;
        const status = refuseNewAccount(request, reply, problem);
        return show(request, reply, status, view, { secret, username, problem });
      }
      case 'used': {
        const { user } = outcome;
        setLogLine(request, 'operator set up', { userId: user.id, address: request.ip });
        // The session awaits a second factor, whatever the policy says: the console opens after that.
        await signInNewAccount(options, request, reply, user, outcome.passkey, classNamed('multi-factor'));
        const codes = outcome.passkey && (await firstRecoveryCodes(options, user.id));
        if (codes === null) return seeOther(reply, path(DONE_PATH));
        const shown = { userId: user.id, username: user.username, codes, firstPassword: 'inAccount' as const };
        const next = { goOn: { href: path(DONE_PATH) }, formPurpose: formPurpose.signIn() };
        return showRecoveryCodes(options, request, reply, { ...shown, ...next });
      }
    }
  }

  async function sendUseless(
    request: FastifyRequest,
    reply: FastifyReply,
    reason: UselessSetUp,
  ): Promise<FastifyReply> {
    setLogLine(request, 'refused', { reason, address: request.ip });
    return sendPage(reply, STATUS[reason] ?? 410, uselessSetUpPage(await lookOf(request), reason, path('/sign-in')));
  }
}
