/** /account/data: all stored data about the end-user, for download. */
import { type DataDeps, downloadData } from '../../people/account/data.ts';
import { setLogLine } from '../request-log.ts';
import { noStore } from '../security-headers.ts';
import { dataForm } from '../views/account/data.ts';
import type { AccountPages } from './pages.ts';
import type { SectionHandlers } from './route-names.ts';

export type DataRoutesOptions = DataDeps;

const SECTION = 'data';

export function dataHandlers(pages: AccountPages, options: DataRoutesOptions): SectionHandlers<'data'> {
  return {
    'GET /account/data': pages.page(SECTION, (visit) =>
      visit.send({ content: dataForm(visit.look, { action: visit.pathOf(), csrf: visit.csrf() }) }),
    ),
    // By POST: no other site can trigger the download, and no link prefetches it.
    'POST /account/data': pages.form(SECTION, async ({ session, now, request, reply, signIn }) => {
      const data = await downloadData(options, session, now);
      if (data === null) return signIn();
      setLogLine(request, 'data downloaded', { userId: session.userId });
      return noStore(reply)
        .header('content-disposition', 'attachment; filename="account.json"')
        .type('application/json; charset=utf-8')
        .send(data);
    }),
  };
}
