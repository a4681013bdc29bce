/** /account/email: the e-mail address of the account, and how to confirm or change it. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type AddressAsked,
  type Asker,
  addressOfAccount,
  askForChange,
  askForVerification,
} from '../../people/email/asking.ts';
import type { LinkDeps } from '../../people/email/links.ts';
import { addressKey } from '../address-key.ts';
import { queryOf, sentField } from '../form-body.ts';
import { setLogLine } from '../request-log.ts';
import { addressPage } from '../views/account/email.ts';
import type { AccountPages, Visit } from './pages.ts';
import type { SectionHandlers } from './route-names.ts';

export type AccountEmailOptions = {
  /** Null: the server sends no mail, and the section does not exist. */
  readonly links: LinkDeps | null;
};

const SECTION = 'email';
const SENT = 'sent';

export function emailHandlers(pages: AccountPages, links: LinkDeps): SectionHandlers<'email'> {
  const show = async (
    visit: Visit,
    request: FastifyRequest,
    reply: FastifyReply,
    shown: Partial<Parameters<AccountPages['send']>[3]> = {},
  ) =>
    pages.send(reply, visit, SECTION, {
      ...shown,
      content: addressPage(visit.look, {
        verify: pages.pathOf(SECTION, '/verify'),
        change: pages.pathOf(SECTION, '/change'),
        csrf: pages.csrf(request, reply, visit),
        current: await addressOfAccount(links, visit.session.userId),
      }),
    });

  const answer = (visit: Visit, request: FastifyRequest, reply: FastifyReply, outcome: AddressAsked) => {
    const { userId } = visit.session;
    if (outcome.kind === 'sent') {
      setLogLine(request, 'asked for a mail', { userId });
      return pages.goTo(reply, SECTION, SENT);
    }
    setLogLine(request, 'refused', { userId, reason: outcome.kind });
    const isLater = 'retryAfterSeconds' in outcome;
    if (isLater) reply.header('retry-after', String(outcome.retryAfterSeconds));
    const { problems } = visit.look.words.accountEmail;
    return show(visit, request, reply, {
      status: isLater ? 429 : 400,
      problem: problems[outcome.kind],
    });
  };

  return {
    'GET /account/email': pages.page(SECTION, (visit, request, reply) =>
      show(visit, request, reply, queryOf(request) === SENT ? { done: visit.look.words.accountEmail.sent } : {}),
    ),
    'POST /account/email/verify': pages.form(SECTION, async (visit, request, reply) =>
      answer(visit, request, reply, await askForVerification(links, visit.session.userId, askerOf(visit, request))),
    ),
    'POST /account/email/change': pages.form(SECTION, async (visit, request, reply) => {
      const typed = sentField(request, 'email');
      return answer(
        visit,
        request,
        reply,
        await askForChange(links, visit.session.userId, typed, askerOf(visit, request)),
      );
    }),
  };
}

const askerOf = ({ look }: Visit, request: FastifyRequest): Asker => ({
  network: addressKey(request.ip, request.socket.remoteAddress ?? ''),
  languages: [look.locale, look.language],
  // A signed-in end-user needs no allowance of the browser.
  deviceCookie: null,
});
