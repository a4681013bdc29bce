/** /account/apps: what the end-user has allowed, and how to end it. */
import type { FastifyInstance } from 'fastify';
import { parseParameters } from '../../oauth/parameters.ts';
import { endPermission, type PermissionDeps, permissionsOf } from '../../protocol/permissions.ts';
import { bodyOf, queryOf } from '../form-body.ts';
import { refuseForm } from '../form-refused.ts';
import { setLogLine } from '../request-log.ts';
import { apps } from '../views/account/apps.ts';
import type { AccountPages } from './pages.ts';

export type AppsRoutesOptions = PermissionDeps;

const SECTION = 'apps';
const ENDED = 'ended';

export function appsRoutes(app: FastifyInstance, pages: AccountPages, options: AppsRoutesOptions): void {
  app.get(
    pages.route(SECTION),
    pages.page(SECTION, async (visit, request, reply) =>
      pages.send(reply, visit, SECTION, {
        done: queryOf(request) === ENDED ? visit.look.words.accountApps.ended : null,
        content: apps(visit.look, {
          end: pages.pathOf(SECTION, '/end'),
          csrf: pages.csrf(request, reply, visit),
          ...(await permissionsOf(options, visit.session.userId)),
        }),
      }),
    ),
  );

  app.post(
    pages.route(SECTION, '/end'),
    pages.form(SECTION, async ({ session: { userId } }, request, reply) => {
      const clientId = parseParameters(bodyOf(request.body), ['client_id']).parameters.get('client_id');
      if (clientId === null) return refuseForm(request, reply);
      const grants = await endPermission(options, userId, clientId);
      setLogLine(request, 'permission ended', { clientId, userId, grants });
      return pages.goTo(reply, SECTION, ENDED);
    }),
  );
}
