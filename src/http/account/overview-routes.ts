/** /account: the list of sections. */
import type { FastifyInstance } from 'fastify';
import { overview } from '../views/account/overview.ts';
import type { AccountPages } from './pages.ts';
import { ACCOUNT } from './sections.ts';

export function overviewRoutes(app: FastifyInstance, pages: AccountPages): void {
  app.get(
    ACCOUNT,
    pages.page(null, (visit, _request, reply) => pages.send(reply, visit, null, { content: overview })),
  );
}
