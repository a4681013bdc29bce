/** The requests of the walk: codes and signatures, right and wrong, of the end-user and of a thief; removals; a sign-in after an answer. */
import type { Passkey } from '../../passkey/entity.ts';
import type { SecondFactor } from '../entity.ts';
import {
  type AboutApp,
  type AboutCode,
  type AboutPasskey,
  type Accepted,
  type Asked,
  type Removal,
  type Stored,
  THIS_STEP,
} from './ports.ts';

/** Browsers that sign in with a passkey have no session before. */
export const NEW_BROWSERS = ['a browser', 'another browser'] as const;
/** Of the passkey that may be registered. */
export const newPasskeyId = (sid: string): string => `the new passkey of ${sid}`;

export function requestsAt(stored: Stored, accepted: readonly Accepted[]): readonly Asked[] {
  const sids = stored.sessions.map(({ sid }) => sid);
  return [
    ...stored.secondFactors.flatMap((app) => ofApp(app, stored, sids)),
    ...stored.passkeys.flatMap((passkey) => ofPasskey(passkey, stored, sids)),
    ...stored.recoveryCodes.flatMap(({ id }): AboutCode[] => [
      ...sids.map((sid): AboutCode => ({ kind: 'code', id, type: 'presented', sid })),
      { kind: 'code', id, type: 'newCodesRequested' },
    ]),
    ...registrations(stored),
    ...additions(stored, accepted),
  ];
}

function ofApp({ id, state }: SecondFactor, stored: Stored, sids: readonly string[]): readonly AboutApp[] {
  const app = { kind: 'app', id } as const;
  const confirmed = [false, true].map(
    (byPasswordAlone): AboutApp => ({
      ...app,
      type: 'confirmed',
      step: THIS_STEP,
      byPasswordAlone,
      sid: sids[0] ?? '',
    }),
  );
  const wrong = { ...app, step: null, byPasswordAlone: false, sid: sids[0] ?? '' } as const;
  return [
    ...(state === 'unconfirmed' ? [...confirmed, { ...wrong, type: 'confirmed' as const }] : []),
    ...sids.flatMap((sid) =>
      [THIS_STEP - 1, THIS_STEP].map(
        (step): AboutApp => ({ ...app, type: 'presented', step, byPasswordAlone: true, sid }),
      ),
    ),
    { ...wrong, type: 'presented' },
    ...removals(stored).map((removal) => ({ ...app, ...removal })),
  ];
}

const ofPasskey = ({ id, counter }: Passkey, stored: Stored, sids: readonly string[]): readonly AboutPasskey[] => [
  // After a password, the passkey is the second factor of that session.
  ...[...NEW_BROWSERS, ...sids].map(
    (sid): AboutPasskey => ({ kind: 'passkey', id, type: 'presented', counter: FIRST_SIGNATURE, sid }),
  ),
  { kind: 'passkey', id, type: 'presented', counter: counter + 1, sid: NEW_BROWSERS[0] },
  { kind: 'passkey', id, type: 'presented', counter: null, sid: NEW_BROWSERS[0] },
  ...removals(stored).map((removal) => ({ kind: 'passkey' as const, id, ...removal })),
];
const FIRST_SIGNATURE = 4;

const removals = ({ isDemanded }: Stored) =>
  (
    [
      ['removalRequested', false],
      ['removalRequested', true],
      ['removalRequestedByAdministrator', false],
    ] as const satisfies readonly (readonly [Removal, boolean])[]
  ).map(([type, byPasswordAlone]) => ({ type, byPasswordAlone, isDemanded }));

/** Of an authenticator that is not registered, or was removed. */
function registrations({ passkeys, secondFactors }: Stored): readonly AboutPasskey[] {
  // Where codes of an app are at stake, a passkey would only double the ways.
  if (passkeys.length === 0 && !secondFactors.some(({ state }) => state === 'unconfirmed')) return [];
  return NEW_BROWSERS.flatMap((sid, index) => [
    { kind: 'passkey', id: newPasskeyId(sid), type: 'registered', byPasswordAlone: index > 0, sid } as const,
  ]);
}

const additions = ({ sessions }: Stored, accepted: readonly Accepted[]): readonly Asked[] =>
  accepted
    .filter(({ sid }) => sessions.some((session) => session.sid === sid))
    .map(({ sid, factor }) => ({ kind: 'session', sid, factor }));

/** The factor that signs in its sender from then on; null: the request proves none. */
export function acceptedBy(asked: Asked): Accepted | null {
  if (asked.kind === 'session' || !('sid' in asked)) return null;
  const { sid, id } = asked;
  if (asked.kind === 'code') return { sid, factor: { kind: 'recoveryCode', id }, number: null };
  if (asked.kind === 'app') return { sid, factor: { kind: 'secondFactor', id }, number: asked.step };
  const number = asked.type === 'presented' ? asked.counter : null;
  return { sid, factor: { kind: 'passkey', id }, number };
}
