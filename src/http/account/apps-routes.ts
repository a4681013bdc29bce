/** /account/apps: the apps that the end-user has allowed, and how to end their access. */
import { endChain, endPermission, type PermissionDeps, permissionsOf } from '../../protocol/permissions.ts';
import { signedInBrowsers } from '../../protocol/signed-in-browsers.ts';
import { queryOf, sentField } from '../form-body.ts';
import { refuseForm } from '../form-refused.ts';
import { setLogLine } from '../request-log.ts';
import { apps } from '../views/account/apps.ts';
import type { AccountPages } from './pages.ts';
import type { SectionHandlers } from './route-names.ts';

export type AppsRoutesOptions = PermissionDeps;

const SECTION = 'apps';
const DONE: ReadonlyMap<string, 'ended' | 'endedOne'> = new Map([
  ['ended', 'ended'],
  ['ended-one', 'endedOne'],
] as const);

export function appsHandlers(pages: AccountPages, options: AppsRoutesOptions): SectionHandlers<'apps'> {
  return {
    'GET /account/apps': pages.page(SECTION, async (visit) => {
      const done = DONE.get(queryOf(visit.request));
      return visit.send({
        done: done ? visit.look.words.accountApps[done] : null,
        content: apps(visit.look, {
          end: visit.pathOf('/end'),
          endOne: visit.pathOf('/end-one'),
          csrf: visit.csrf(),
          browsers: await signedInBrowsers(options, visit.session),
          ...(await permissionsOf(options, visit.session.userId)),
        }),
      });
    }),
    'POST /account/apps/end': pages.form(SECTION, async ({ session: { userId }, request, reply, goBack }) => {
      const clientId = sentField(request, 'client_id');
      if (clientId === null) return refuseForm(request, reply);
      const grants = await endPermission(options, userId, clientId);
      setLogLine(request, 'permission ended', { clientId, userId, grants });
      return goBack('ended');
    }),
    'POST /account/apps/end-one': pages.form(SECTION, async ({ session: { userId }, request, reply, goBack }) => {
      const [clientId, grantId] = [sentField(request, 'client_id'), sentField(request, 'grant')];
      if (clientId === null || grantId === null) return refuseForm(request, reply);
      const hasEnded = await endChain(options, userId, { clientId, grantId });
      setLogLine(request, 'permission of one device ended', { clientId, userId, hasEnded });
      return goBack('ended-one');
    }),
  };
}
