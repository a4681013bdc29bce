/** Sessions, on the database itself. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Runtime } from '../../boot/runtime.ts';
import { rowMacs } from '../../crypto/row-mac.ts';
import { endSessionByAdministrator } from '../../lifecycles/session.ts';
import { commandLine } from '../../model/actor.ts';
import { sessionEndReason } from '../../model/session.ts';
import type { InstantPosition, PageRequest } from '../../storage/page.ts';
import { findListedSession, type ListedSession, listSessionPage } from '../../storage/session-list.ts';
import { sessionStore } from '../../storage/sessions.ts';
import { databaseClock } from '../../system/clock.ts';
import { noSuch } from '../failure.ts';
import { itemsUpTo } from '../pages.ts';
import type { SessionShown, Sessions } from '../ports.ts';
import { userIdOf } from './todays.ts';

export function directSessions({ database, configuration, keys }: Runtime): Sessions {
  const db = database.drizzle;
  const lifetimes = configuration.signIn;
  return {
    list: async ({ user, state }, limit) => {
      const userId = user === undefined ? undefined : await userIdOf(db, user);
      const { items, more } = await itemsUpTo(limit, (page: PageRequest<InstantPosition>) =>
        listSessionPage(db, databaseClock, lifetimes, { userId, state }, page),
      );
      return { items: items.map(shown), more };
    },
    end: async (sid) => {
      const found = await findListedSession(db, databaseClock, lifetimes, sid);
      if (found === null) throw noSuch('session', sid);
      const { userId, username } = found.session;
      const world = { sessions: sessionStore(db, databaseClock, rowMacs(keys)), lifetimes: () => lifetimes, sleep };
      return { hasEnded: await endSessionByAdministrator(world, { sid, userId }, commandLine), username };
    },
  };
}

const shown = ({ session, state }: ListedSession): SessionShown => ({
  sid: session.sid,
  sub: session.userId,
  username: session.username,
  state,
  reason: state === 'active' ? null : (sessionEndReason(session) ?? 'expired'),
  signedInAt: session.signedInAt,
  lastUsedAt: session.lastUsedAt,
  userAgent: session.userAgent,
});
