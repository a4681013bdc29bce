/** Sessions, through the management API. */
import { noSuch } from '../failure.ts';
import { itemsUpTo } from '../pages.ts';
import type { SessionShown, Sessions } from '../ports.ts';
import type { Document, ManagementApi } from './api.ts';
import { pagesOf, subOf } from './lists.ts';
import { orNull } from './refusals.ts';

export function remoteSessions(api: ManagementApi): Sessions {
  const find = async (sid: string): Promise<Document> => {
    const answered = await orNull(api.send('GET', ['sessions', sid]));
    if (answered === null) throw noSuch('session', sid);
    return answered.document;
  };
  return {
    list: async ({ user, state }, limit) => {
      const query = { ...(user !== undefined && { sub: await subOf(api, user) }), ...(state && { state }) };
      const { items, more } = await itemsUpTo(limit, pagesOf(api, ['sessions'], query));
      return { items: items.map(shown), more };
    },
    end: async (sid) => {
      const before = await find(sid);
      await api.send('DELETE', ['sessions', sid]);
      const hasEnded = before.reason === null && (await find(sid)).reason !== null;
      return { hasEnded, username: before.username };
    },
  };
}

const shown = (document: Document): SessionShown => ({
  sid: document.sid,
  sub: document.sub,
  username: document.username,
  state: document.state,
  reason: document.state === 'active' ? null : (document.reason ?? 'expired'),
  signedInAt: new Date(document.signed_in_at),
  lastUsedAt: new Date(document.last_used_at),
  userAgent: document.user_agent,
});
