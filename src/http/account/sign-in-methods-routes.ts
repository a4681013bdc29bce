/** /account/sign-in-methods: passkeys, authenticator apps and recovery codes, and how to add, name and remove them. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'ghtml';
import { pathUnder } from '../../oauth/urls.ts';
import {
  addPasskey,
  type PasskeyDeps,
  passkeyOptions,
  removePasskey,
  renamePasskey,
} from '../../people/passkeys/manage.ts';
import { isByPasswordAlone } from '../../people/second-factor/deps.ts';
import { hasFactor, methodsOfUser } from '../../people/second-factor/methods.ts';
import {
  beginSetUp,
  confirmSetUp,
  continueSetUp,
  newRecoveryCodes,
  type RemoveOutcome,
  removeApp,
  type SetUp,
} from '../../people/second-factor/set-up.ts';
import { queryOf, sentField } from '../form-body.ts';
import { refuseForm } from '../form-refused.ts';
import type { Look } from '../look.ts';
import type { PageParts } from '../page-parts.ts';
import { sendRecoveryCodes } from '../recovery-codes.ts';
import { setLogLine } from '../request-log.ts';
import { sendPage } from '../security-headers.ts';
import { signInMethods } from '../views/account/sign-in-methods.ts';
import { type FactorProblem, setUpPage } from '../views/factor.ts';
import { PASSKEY_SCRIPT_SOURCE, passkeyButton } from '../views/passkey.ts';
import type { AccountPages, Visit } from './pages.ts';
import type { SectionHandlers } from './route-names.ts';
import { factorPath } from './sections.ts';

export type SignInMethodsRoutesOptions = PasskeyDeps & Pick<PageParts, 'cookies'>;

const SECTION = 'sign-in-methods';
type Words = Look['words']['accountMethods'];

export function signInMethodsHandlers(
  pages: AccountPages,
  options: SignInMethodsRoutesOptions,
): SectionHandlers<'sign-in-methods'> {
  const { cookies } = options;
  const sent = (request: FastifyRequest, name: 'id' | 'name' | 'credential' | 'factor' | 'code') =>
    sentField(request, name);

  async function show(
    { look, session, request, send, pathOf, csrf }: Visit,
    problem: keyof Words['problems'] | null = null,
  ): Promise<FastifyReply> {
    const words = look.words.accountMethods;
    const methods = await methodsOfUser(options, session);
    const needsProof = isByPasswordAlone(session) && hasFactor(methods);
    const done = words.done[queryOf(request) as keyof Words['done']] as string | undefined;
    return send({
      status: problem === null ? 200 : 400,
      done: problem === null && request.method === 'GET' ? (done ?? null) : null,
      problem: problem === null ? null : words.problems[problem],
      content: signInMethods(look, {
        methods,
        at: pathOf,
        csrf: csrf(),
        prove: needsProof ? pathUnder(options.issuer, factorPath(SECTION)) : null,
      }),
    });
  }

  /** Shown once: the server cannot show them again. */
  const showCodes = ({ look, session, reply, pathOf }: Visit, codes: readonly string[]) =>
    sendRecoveryCodes(options, reply, look, {
      codes,
      username: session.username,
      goOn: { href: pathOf() },
    });

  const removal = (remove: typeof removePasskey, message: string) =>
    pages.form(SECTION, async (visit) => {
      const { request } = visit;
      const outcome = await remove(options, visit.session, sent(request, 'id') ?? '');
      const { userId } = visit.session;
      if (outcome.kind === 'removeRefused') {
        setLogLine(request, 'refused', { reason: outcome.reason, userId });
        return show(visit, REMOVE_PROBLEMS[outcome.reason]);
      }
      setLogLine(request, message, { userId });
      return visit.goBack('removed');
    });

  const showSetUp = ({ look, reply, pathOf, csrf }: Visit, setUp: SetUp, problem: FactorProblem | null) => {
    const view = { action: pathOf('/apps/confirm'), csrf: csrf(), setUp, problem };
    return sendPage(reply, problem === null ? 200 : 400, setUpPage(look, view));
  };

  return {
    'GET /account/sign-in-methods': pages.page(SECTION, (visit) => show(visit)),
    'GET /account/sign-in-methods/passkey': pages.page(
      SECTION,
      async ({ look, session, request, reply, send, pathOf, ...visit }) => {
        const words = look.words.accountMethods.passkeys;
        const csrf = visit.csrf();
        const browser = cookies.hash(request, 'browser') ?? cookies.justSet(reply, 'browser');
        const asked = browser && (await passkeyOptions(options, session, browser));
        const fields = html`<label for="name">${words.name}</label>
<input type="text" id="name" name="name" required maxlength="60" autocomplete="off">`;
        const { refused: failed, known } = look.words.accountMethods.problems;
        const button = { button: words.create, failed, known, fields };
        const form = { action: pathOf('/passkeys'), csrf, options: asked ?? '', autofill: false };
        return send({
          script: asked ? PASSKEY_SCRIPT_SOURCE : undefined,
          content: html`<h2>${words.addTitle}</h2>
!${
            asked
              ? html`<p>${words.addAbout}</p>
!${passkeyButton(look, form, button)}
<p class="quiet">${words.needsScript}</p>`
              : html`<p>${words.unavailable}</p>`
          }`,
        });
      },
    ),
    'POST /account/sign-in-methods/passkeys': pages.form(SECTION, async (visit) => {
      const { request, reply } = visit;
      const browser = cookies.hash(request, 'browser');
      if (browser === null) return refuseForm(request, reply);
      const cookie = cookies.create();
      const outcome = await addPasskey(options, visit.session, {
        credential: sent(request, 'credential'),
        name: sent(request, 'name'),
        browser,
        newCookie: cookie.hash,
      });
      const { userId } = visit.session;
      if (outcome.kind === 'addRefused') {
        setLogLine(request, 'refused', { reason: outcome.reason, userId });
        return show(visit, outcome.reason === 'factor_not_proven' ? 'notProven' : 'refused');
      }
      if (outcome.session !== null) cookies.set(reply, 'session', cookie);
      setLogLine(request, 'passkey added', { userId });
      if (outcome.recoveryCodes !== null) return showCodes(visit, outcome.recoveryCodes);
      return visit.goBack('added');
    }),
    'POST /account/sign-in-methods/passkeys/rename': pages.form(SECTION, async (visit) => {
      const { session, request } = visit;
      const id = sent(request, 'id') ?? '';
      const isThere = await renamePasskey(options, session.userId, id, sent(request, 'name'));
      return isThere ? visit.goBack('renamed') : show(visit, 'unknown');
    }),
    'POST /account/sign-in-methods/passkeys/remove': removal(removePasskey, 'passkey removed'),
    'POST /account/sign-in-methods/apps/remove': removal(removeApp, 'authenticator app removed'),
    'POST /account/sign-in-methods/apps/set-up': pages.form(SECTION, async (visit) => {
      const { session } = visit;
      if (isByPasswordAlone(session) && hasFactor(await methodsOfUser(options, session)))
        return show(visit, 'notProven');
      const setUp = await beginSetUp(options, session);
      return setUp === null ? show(visit, 'unknown') : showSetUp(visit, setUp, null);
    }),
    'POST /account/sign-in-methods/apps/confirm': pages.form(SECTION, async (visit) => {
      const { session, request, reply } = visit;
      const cookie = cookies.create();
      const id = sent(request, 'factor');
      const outcome = await confirmSetUp(options, session, { id, code: sent(request, 'code'), newCookie: cookie.hash });
      if (outcome.kind === 'confirmed') {
        cookies.set(reply, 'session', cookie);
        setLogLine(request, 'authenticator app set up', { userId: session.userId });
        if (outcome.recoveryCodes !== null) return showCodes(visit, outcome.recoveryCodes);
        return visit.goBack('set-up');
      }
      const { reason } = outcome;
      setLogLine(request, 'refused', { reason, userId: session.userId });
      if (reason === 'session_ended') return visit.goBack();
      const setUp = reason === 'code_mismatch' ? await continueSetUp(options, session, id ?? '') : null;
      if (setUp !== null) return showSetUp(visit, setUp, 'mismatch');
      return show(visit, reason === 'factor_not_proven' ? 'notProven' : 'setUpOver');
    }),
    'POST /account/sign-in-methods/recovery-codes': pages.form(SECTION, async (visit) => {
      const { session, request } = visit;
      if (isByPasswordAlone(session)) return show(visit, 'notProven');
      const codes = await newRecoveryCodes(options, session.userId);
      setLogLine(request, 'new recovery codes', { userId: session.userId });
      return codes === null ? visit.goBack() : showCodes(visit, codes);
    }),
  };
}

const REMOVE_PROBLEMS: Readonly<
  Record<Extract<RemoveOutcome, { kind: 'removeRefused' }>['reason'], keyof Words['problems']>
> = {
  factor_unknown: 'unknown',
  factor_is_demanded: 'demanded',
  factor_not_proven: 'notProven',
  last_way_to_sign_in: 'lastWay',
};
