/** The requests of a browser: to the interaction with the session of its cookie, and to the session itself. */
import { effectOf } from '../../../engine/decide.ts';
import { stepOf } from '../../../engine/step.ts';
import { type Session, sessionState } from '../../../model/session.ts';
import { BEGAN_AT } from '../../../review/proof/instants.ts';
import type { ModelState } from '../../../review/proof/moment.ts';
import { sessionLifecycle } from '../../session/lifecycle.ts';
import { SESSION_LIFETIMES } from '../../session/walk/stored-session.ts';
import {
  type Asked,
  type InteractionEventType,
  type SessionEventType,
  type SignIn,
  sessionAsLoaded,
  type Terms,
} from './ports.ts';

export const ofInteraction = (event: InteractionEventType, session: Session | null): Asked => ({
  kind: 'interaction',
  event,
  session,
});
export const ofSession = (event: SessionEventType, sid: string): Asked => ({ kind: 'session', event, sid });

/** The requests of a browser that can change rows; those that only read are asked in every state (invariants.ts). */
const CHANGING: readonly InteractionEventType[] = [
  'accountChosen',
  'factorAdded',
  'factorDeclined',
  'consented',
  'refused',
];

export function requestsAt({ stored, now, draws }: ModelState<Terms>): readonly Asked[] {
  const row = stored.sessions.at(-1);
  // The interaction is asked about once when it begins; the page that follows sends everything else.
  const isFirst = draws === 0 && stored.interaction.state === 'awaitingSignIn';
  if (!row) return isFirst ? [ofInteraction('requested', null)] : [];
  const session = sessionAsLoaded(stored, row);
  const use = useOf(session, now);
  // It awaits a second factor: the browser is not signed in, and proves that factor or goes.
  if (use === 'rejected' && row.state === 'awaitingSecondFactor' && sessionState(session) !== 'ended')
    return [
      ...(isFirst ? [ofInteraction('requested', null)] : []),
      ofSession('factorAdded', row.sid),
      ofSession('signOutRequested', row.sid),
    ];
  if (use !== 'admitted')
    return use === 'due' ? [ofSession('used', row.sid)] : isFirst ? [ofInteraction('requested', null)] : [];
  const isSilent = stored.interaction.prompt.includes('none');
  const isFresh = row.signedInAt.getTime() >= BEGAN_AT;
  return [
    ...(isFirst ? [ofInteraction('requested', session)] : []),
    ...(isSilent ? [] : CHANGING.map((event) => ofInteraction(event, session))),
    ...(isFresh && !isSilent ? [ofInteraction('signedIn', session)] : []),
    // A client that wants two factors leads to it.
    ...(stored.interaction.requiredClass === null ? [] : [ofSession('factorAdded', row.sid)]),
    ofSession('signOutRequested', row.sid),
  ];
}

/** As its machine says that the browser is signed in. A use that changes the row is written down first, by a request of its own. */
function useOf(session: Session, now: number): 'admitted' | 'due' | 'rejected' {
  const { before, after, isAdmitted } = usedAt(session, now);
  if (after !== before) return 'due';
  return isAdmitted ? 'admitted' : 'rejected';
}

/** The session that a request was admitted with, as it is now; null: it has ended. */
export function sessionNow(stored: SignIn, admitted: Session | null, now: number): Session | null {
  const row = stored.sessions.find(({ sid }) => sid === admitted?.sid);
  if (!row) return null;
  const { after, isAdmitted } = usedAt(sessionAsLoaded(stored, row), now);
  return isAdmitted ? after : null;
}

function usedAt(session: Session, now: number) {
  const facts = { now: new Date(now), lifetimes: SESSION_LIFETIMES };
  const step = stepOf(sessionLifecycle, session, facts, { type: 'used', now } as never);
  return { ...step, isAdmitted: step.decisions.some((decision) => effectOf(decision, 'admit')) };
}
