/** /account/email: the e-mail address of the account, and how to confirm or change it. */
import type { FastifyReply } from 'fastify';
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
    { look, session, send, pathOf, csrf }: Visit,
    shown: Partial<Parameters<Visit['send']>[0]> = {},
  ): Promise<FastifyReply> =>
    send({
      ...shown,
      content: addressPage(look, {
        verify: pathOf('/verify'),
        change: pathOf('/change'),
        csrf: csrf(),
        current: await addressOfAccount(links, session.userId),
      }),
    });

  const answer = (visit: Visit, outcome: AddressAsked) => {
    const { session, request, reply } = visit;
    const { userId } = session;
    if (outcome.kind === 'sent') {
      setLogLine(request, 'asked for a mail', { userId });
      return visit.goBack(SENT);
    }
    setLogLine(request, 'refused', { userId, reason: outcome.kind });
    const isLater = 'retryAfterSeconds' in outcome;
    if (isLater) reply.header('retry-after', String(outcome.retryAfterSeconds));
    const { problems } = visit.look.words.accountEmail;
    return show(visit, {
      status: isLater ? 429 : 400,
      problem: problems[outcome.kind],
    });
  };

  return {
    'GET /account/email': pages.page(SECTION, (visit) =>
      show(visit, queryOf(visit.request) === SENT ? { done: visit.look.words.accountEmail.sent } : {}),
    ),
    'POST /account/email/verify': pages.form(SECTION, async (visit) =>
      answer(visit, await askForVerification(links, visit.session.userId, askerOf(visit))),
    ),
    'POST /account/email/change': pages.form(SECTION, async (visit) => {
      const typed = sentField(visit.request, 'email');
      return answer(visit, await askForChange(links, visit.session.userId, typed, askerOf(visit)));
    }),
  };
}

const askerOf = ({ look, request }: Visit): Asker => ({
  network: addressKey(request.ip, request.socket.remoteAddress ?? ''),
  languages: [look.locale, look.language],
  // A signed-in end-user needs no allowance of the browser.
  deviceCookie: null,
});
