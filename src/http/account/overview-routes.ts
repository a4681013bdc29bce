/** /account: the list of sections. */
import type { Handlers } from '../lazy-routes.ts';
import { overview } from '../views/account/overview.ts';
import type { AccountPages } from './pages.ts';

export const overviewHandlers = (pages: AccountPages): Handlers<'GET /account'> => ({
  'GET /account': pages.page(null, (visit, _request, reply) => pages.send(reply, visit, null, { content: overview })),
});
