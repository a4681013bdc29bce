/** /account: the state of the account at a glance, and the list of sections. */
import { accountSummary, type SummaryDeps } from '../../people/account/summary.ts';
import type { Handlers } from '../lazy-routes.ts';
import { overview } from '../views/account/overview.ts';
import type { AccountPages } from './pages.ts';

export type OverviewRoutesOptions = SummaryDeps & { readonly issuer: string };

export const overviewHandlers = (pages: AccountPages, options: OverviewRoutesOptions): Handlers<'GET /account'> => ({
  'GET /account': pages.page(null, async (visit) => {
    const summary = await accountSummary(options, visit.session);
    if (summary === null) return visit.signIn();
    return visit.send({ content: (frame) => overview(frame, summary) });
  }),
});
