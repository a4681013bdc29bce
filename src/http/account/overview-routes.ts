/** /account: the state of the account at a glance, and the list of sections. */
import { pathUnder } from '../../oauth/urls.ts';
import { accountSummary, type SummaryDeps } from '../../people/account/summary.ts';
import type { Handlers } from '../lazy-routes.ts';
import { seeOther } from '../security-headers.ts';
import { overview } from '../views/account/overview.ts';
import type { AccountPages } from './pages.ts';
import { signInPath } from './sections.ts';

export type OverviewRoutesOptions = SummaryDeps & { readonly issuer: string };

export const overviewHandlers = (pages: AccountPages, options: OverviewRoutesOptions): Handlers<'GET /account'> => ({
  'GET /account': pages.page(null, async (visit, _request, reply) => {
    const summary = await accountSummary(options, visit.session);
    if (summary === null) return seeOther(reply, pathUnder(options.issuer, signInPath(null)));
    return pages.send(reply, visit, null, { content: (frame) => overview(frame, summary) });
  }),
});
