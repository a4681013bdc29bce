/** /account/apps: the apps that the end-user has allowed, and how to end their access. */
import { endPermission, type PermissionDeps, permissionsOf } from '../../protocol/permissions.ts';
import { queryOf, sentField } from '../form-body.ts';
import { refuseForm } from '../form-refused.ts';
import { setLogLine } from '../request-log.ts';
import { apps } from '../views/account/apps.ts';
import type { AccountPages } from './pages.ts';
import type { SectionHandlers } from './route-names.ts';

export type AppsRoutesOptions = PermissionDeps;

const SECTION = 'apps';
const ENDED = 'ended';

export function appsHandlers(pages: AccountPages, options: AppsRoutesOptions): SectionHandlers<'apps'> {
  return {
    'GET /account/apps': pages.page(SECTION, async (visit, request, reply) =>
      pages.send(reply, visit, SECTION, {
        done: queryOf(request) === ENDED ? visit.look.words.accountApps.ended : null,
        content: apps(visit.look, {
          end: pages.pathOf(SECTION, '/end'),
          csrf: pages.csrf(request, reply, visit),
          ...(await permissionsOf(options, visit.session.userId)),
        }),
      }),
    ),
    'POST /account/apps/end': pages.form(SECTION, async ({ session: { userId } }, request, reply) => {
      const clientId = sentField(request, 'client_id');
      if (clientId === null) return refuseForm(request, reply);
      const grants = await endPermission(options, userId, clientId);
      setLogLine(request, 'permission ended', { clientId, userId, grants });
      return pages.goTo(reply, SECTION, ENDED);
    }),
  };
}
