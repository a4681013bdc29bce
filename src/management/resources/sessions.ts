/** Browsers in which end-users have signed in. The cookie is never shown, nor its hash. */

import { z } from 'zod';
import { endSessionByAdministrator } from '../../lifecycles/session/lifecycle.ts';
import { sessionEndReason, subOfSession } from '../../model/session.ts';
import {
  findListedSession,
  type ListedSession,
  listSessionPage,
  type SessionFilter,
} from '../../storage/session-list.ts';
import { addressOf, links } from '../addresses.ts';
import type { ManagementDeps } from '../deps.ts';
import { shownInstant } from '../instant.ts';
import { instantPosition, link, listAnswer, pageOf, pageQuery } from '../page.ts';
import { notFound } from '../problem.ts';
import { type Answer, done, found, resource } from '../resource.ts';
import { userAddress } from './user-record.ts';
import { sub } from './users.ts';

const shape = z
  .object({
    sid: z.uuid(),
    state: z.enum(['active', 'ended']).describe('By decision or by time, under the current policy.'),
    reason: z
      .string()
      .nullable()
      .describe(
        'The reason of the decision that ended it, also of one about its end-user or all sessions; null: none.',
      ),
    sub: z.string(),
    username: z.string(),
    user_agent: z.string().nullable(),
    amr: z.array(z.string()).describe('How the end-user signed in (RFC 8176).'),
    signed_in_at: shownInstant,
    last_used_at: shownInstant,
    ends_at: shownInstant,
    _links: z.object({ self: link, user: link }),
  })
  .meta({ id: 'Session' });

export const sessionDocument = (issuer: string, { session, state }: Pick<ListedSession, 'session' | 'state'>) => ({
  sid: session.sid,
  state,
  reason: sessionEndReason(session),
  sub: subOfSession(session),
  username: session.username,
  user_agent: session.userAgent,
  amr: [...session.amr],
  signed_in_at: session.signedInAt.toISOString(),
  last_used_at: session.lastUsedAt.toISOString(),
  ends_at: session.endsAt.toISOString(),
  ...links({ self: addressOf(issuer, 'sessions', session.sid), user: userAddress(issuer, session.userId) }),
});

const listed = (
  { db, clock, issuer, configuration }: ManagementDeps,
  page: { readonly limit: number; readonly cursor?: string | undefined },
  filter: SessionFilter,
  href: string,
): Promise<Answer> =>
  listAnswer(page, instantPosition, href, async (request) => {
    const { items, next } = await listSessionPage(db, clock, configuration().signIn, filter, request);
    return { items: items.map((item) => sessionDocument(issuer, item)), next };
  });

const state = z.enum(['active', 'ended']).optional();

export const sessions = resource('/sessions', 'the sessions', {}, (method) => ({
  GET: method({
    summary: 'The sessions of all end-users, newest first.',
    query: z.strictObject({ ...pageQuery, sub: sub.optional(), state }),
    answer: pageOf(shape),
    run: (deps, { query: { sub: userId, state: wanted, ...page }, href }) =>
      listed(deps, page, { userId, state: wanted }, href),
  }),
}));

export const sessionsOfUser = resource('/users/{sub}/sessions', 'the sessions of an end-user', { sub }, (method) => ({
  GET: method({
    summary: 'The sessions of this end-user, newest first.',
    query: z.strictObject({ ...pageQuery, state }),
    answer: pageOf(shape),
    run: (deps, { params: { sub: userId }, query: { state: wanted, ...page }, href }) =>
      listed(deps, page, { userId, state: wanted }, href),
  }),
}));

const find = ({ db, clock, configuration }: ManagementDeps, sid: string) =>
  findListedSession(db, clock, configuration().signIn, sid);

export const session = resource('/sessions/{sid}', 'a session', { sid: z.uuid() }, (method) => ({
  GET: method({
    summary: 'One session.',
    answer: shape,
    run: async (deps, { params: { sid } }) => {
      const stored = await find(deps, sid);
      return stored ? found(sessionDocument(deps.issuer, stored)) : notFound('session');
    },
  }),
  DELETE: method({
    summary: 'Ends the session, and so signs the browser out. An ended session stays unchanged.',
    run: async (deps, { params: { sid }, actor }) => {
      const stored = await find(deps, sid);
      if (!stored) return notFound('session');
      const lifetimes = () => deps.configuration().signIn;
      await endSessionByAdministrator({ ...deps, lifetimes }, { sid, userId: stored.session.userId }, actor);
      return done;
    },
  }),
}));
