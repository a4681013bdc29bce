/** /account/delete: the end-user erases their account. */
import type { FastifyReply } from 'fastify';
import { pathUnder } from '../../oauth/urls.ts';
import { type DeletionDeps, type DeletionRefusal, deleteAccount, mayNotDelete } from '../../people/account/deletion.ts';
import { clearSiteData } from '../clear-site-data.ts';
import { sentField } from '../form-body.ts';
import { lookOf } from '../look.ts';
import type { PageParts } from '../page-parts.ts';
import { setLogLine } from '../request-log.ts';
import { seeOther, sendPage } from '../security-headers.ts';
import { deletedPage, deleteForm } from '../views/account/delete.ts';
import type { AccountPages, Visit } from './pages.ts';
import type { SectionHandlers } from './route-names.ts';

export type DeleteRoutesOptions = DeletionDeps & Pick<PageParts, 'cookies'> & { readonly issuer: string };

const SECTION = 'delete';
const DONE = '/done';

export function deleteHandlers(pages: AccountPages, options: DeleteRoutesOptions): SectionHandlers<'delete'> {
  const { cookies } = options;

  const show = ({ look, session, send, pathOf, csrf }: Visit, refused: DeletionRefusal | null): FastifyReply => {
    const { username } = session;
    const mayNot = mayNotDelete(options, session);
    return send({
      status: refused === null ? 200 : 400,
      problem: refused === 'username_differs' ? look.words.account.delete.usernameDiffers : null,
      content: deleteForm(look, { action: pathOf(), csrf: csrf(), username, mayNot }),
    });
  };

  return {
    'GET /account/delete': pages.page(SECTION, (visit) => show(visit, null)),
    'POST /account/delete': pages.form(SECTION, async (visit) => {
      const { request, reply } = visit;
      const typed = sentField(request, 'username');
      const { userId } = visit.session;
      const outcome = await deleteAccount(options, visit.session, typed);
      switch (outcome.kind) {
        case 'deleted':
          cookies.clear(reply, 'session');
          clearSiteData(reply, options.issuer);
          setLogLine(request, 'account deleted', { userId });
          return seeOther(reply, visit.pathOf(DONE));
        case 'refused':
          setLogLine(request, 'refused', { userId, reason: outcome.reason });
          return show(visit, outcome.reason);
        case 'signInRequired':
          return visit.signIn();
      }
    }),
    // The page shows no personal data.
    'GET /account/delete/done': async (request, reply) =>
      sendPage(reply, 200, deletedPage(await lookOf(request), { home: pathUnder(options.issuer, '/') })),
  };
}
