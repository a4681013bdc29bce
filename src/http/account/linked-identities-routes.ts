/** /account/linked-identities: the linked identities with which the end-user signs in, and how to add or remove one. */
import {
  type LinkedIdentitiesDeps,
  removeOwnIdentity,
  viewIdentities,
} from '../../people/account/linked-identities.ts';
import { placeOf } from '../external-places.ts';
import { queryOf, sentField } from '../form-body.ts';
import { refuseForm } from '../form-refused.ts';
import { type LeavingOptions, leaving } from '../leaving.ts';
import type { PageParts } from '../page-parts.ts';
import { setLogLine } from '../request-log.ts';
import { linkedIdentities } from '../views/account/linked-identities.ts';
import type { AccountPages, Visit } from './pages.ts';
import type { SectionHandlers } from './route-names.ts';

export type LinkedIdentitiesRoutesOptions = LinkedIdentitiesDeps & Pick<PageParts, 'cookies'> & LeavingOptions;

const SECTION = 'linked-identities';
const DONE: ReadonlyMap<string, 'justLinked' | 'justRemoved'> = new Map([
  ['linked', 'justLinked'],
  ['removed', 'justRemoved'],
]);

export function linkedIdentitiesHandlers(
  pages: AccountPages,
  options: LinkedIdentitiesRoutesOptions,
): SectionHandlers<'linked-identities'> {
  const leave = leaving(options.cookies, options);
  const content = async ({ look, session, pathOf, csrf }: Visit) =>
    linkedIdentities(look, {
      remove: pathOf('/remove'),
      link: pathOf('/link'),
      csrf: csrf(),
      ...(await viewIdentities(options, session.userId)),
    });

  return {
    'GET /account/linked-identities': pages.page(SECTION, async (visit) => {
      const done = DONE.get(queryOf(visit.request));
      return visit.send({
        done: done ? visit.look.words.externalSignIn.linked[done] : null,
        content: await content(visit),
      });
    }),
    'POST /account/linked-identities/link': // Both are proven: this account by a recent sign-in here, which the section asks for, the other by signing in there.
      pages.form(SECTION, async ({ session, request, reply }) => {
        const place = placeOf(sentField(request, 'provider'));
        if (place === null || 'delegated' in place) return refuseForm(request, reply);
        return leave(request, reply, place, { linkTo: session.userId });
      }),
    'POST /account/linked-identities/remove': pages.form(SECTION, async (visit) => {
      const { request, reply } = visit;
      const { userId } = visit.session;
      const id = sentField(request, 'identity');
      const removed = await removeOwnIdentity(options, userId, id);
      if (removed === null) return refuseForm(request, reply);
      if (removed.kind === 'done') {
        setLogLine(request, 'identity removed', { userId });
        return visit.goBack('removed');
      }
      setLogLine(request, 'refused', { reason: removed.reason, userId });
      const isLastWay = removed.reason === 'last_way_to_sign_in';
      const { lastWay, unknown } = visit.look.words.externalSignIn.linked;
      return visit.send({
        status: isLastWay ? 409 : 400,
        problem: isLastWay ? lastWay : unknown,
        content: await content(visit),
      });
    }),
  };
}
