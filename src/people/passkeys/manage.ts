/** A signed-in end-user adds, names and removes passkeys. */

import type { FactorRejectReason } from '../../../machines/shared/facts.ts';
import { siteOf } from '../../crypto/passkey-challenge.ts';
import { registrationOptions, verifiedRegistration } from '../../crypto/webauthn.ts';
import { MAX_PASSKEYS } from '../../lifecycles/passkey/entity.ts';
import { askPasskey, type PasskeyStore, registerPasskey } from '../../lifecycles/passkey/lifecycle.ts';
import type { Session } from '../../model/session.ts';
import { byPasskey } from '../../oauth/authentication-methods.ts';
import { isUuid } from '../../oauth/sub.ts';
import { type CookieHash, demandsSecondFactor, strengthenSession } from '../../protocol/browser-session.ts';
import { isByPasswordAlone, type SecondFactorDeps } from '../second-factor/deps.ts';
import { withoutFactorsNoCodes } from '../second-factor/removal.ts';
import { firstRecoveryCodes, type RemoveOutcome } from '../second-factor/set-up.ts';
import { factorsChanged } from '../trust/trust.ts';
import { answered, type ChallengeDeps, freshChallenge, purposeIn } from './challenge.ts';
import { nameOf } from './name.ts';

export type PasskeyDeps = SecondFactorDeps & ChallengeDeps & { readonly passkeys: PasskeyStore };

const placeOf = (session: Session): string => `registration in ${session.sid}`;

/**
 * For `navigator.credentials.create`: JSON. @returns null: the end-user has the maximum, or the site cannot have
 * passkeys. @throws StoreUnavailable
 */
export async function passkeyOptions(deps: PasskeyDeps, session: Session, browser: CookieHash): Promise<string | null> {
  const { userId, username } = session;
  const site = siteOf(deps.issuer);
  const known = await deps.secondFactors.listPasskeys(userId);
  if (site === null || known.length >= MAX_PASSKEYS) return null;
  const options = await registrationOptions({
    site,
    challenge: freshChallenge(deps, purposeIn(browser, placeOf(session))),
    userId,
    username,
    known: known.map(({ credentialId }) => ({ id: Buffer.from(credentialId).toString('base64url') })),
  });
  return JSON.stringify(options);
}

export type PasskeyToAdd = {
  /** JSON. Null: not sent. */
  readonly credential: string | null;
  readonly name: string | null;
  readonly browser: CookieHash;
  /** The browser's new cookie: the passkey makes its session stronger. */
  readonly newCookie: CookieHash;
};

export type AddPasskeyOutcome =
  /** `session` null: the passkey was added, but the session has ended. */
  | { readonly kind: 'added'; readonly session: Session | null; readonly recoveryCodes: readonly string[] | null }
  | { readonly kind: 'addRefused'; readonly reason: 'challenge_refused' | 'passkey_refused' | 'factor_not_proven' };

/** @throws StoreUnavailable, Unavailable */
export async function addPasskey(
  deps: PasskeyDeps,
  session: Session,
  { credential, name, browser, newCookie }: PasskeyToAdd,
): Promise<AddPasskeyOutcome> {
  const refused = (reason: Extract<AddPasskeyOutcome, { kind: 'addRefused' }>['reason']) =>
    ({ kind: 'addRefused', reason }) as const;
  const answer = await answered(deps, purposeIn(browser, placeOf(session)), credential);
  if (answer === null) return refused('challenge_refused');
  const site = siteOf(deps.issuer);
  const made = site && (await verifiedRegistration(answer.sent, site, answer.challenge));
  if (made === null) return refused('passkey_refused');
  const { userId } = session;
  const id = deps.random.uuid();
  const passkey = { ...made, id, userId, name: nameOf(name) };
  const decided = await registerPasskey(deps, passkey, isByPasswordAlone(session));
  if (decided.kind === 'rejected')
    return refused(decided.reason === 'factor_not_proven' ? 'factor_not_proven' : 'passkey_refused');
  await factorsChanged(deps, userId);
  await deps.tell?.(userId, 'passkey_added');
  const stronger = await strengthenSession(deps, session, newCookie, {
    factor: { kind: 'passkey', id },
    amr: byPasskey(made.backupEligible),
  });
  return { kind: 'added', session: stronger, recoveryCodes: await firstRecoveryCodes(deps, userId) };
}

/** @returns false: the passkey was not found for this end-user. @throws StoreUnavailable, Unavailable */
export async function renamePasskey(
  deps: PasskeyDeps,
  userId: string,
  id: string,
  name: string | null,
): Promise<boolean> {
  if (!isUuid(id)) return false;
  return (await askPasskey(deps, { userId, id }, { type: 'renamed', name: nameOf(name) })) !== null;
}

const reasonOf = (reason: FactorRejectReason): Extract<RemoveOutcome, { kind: 'removeRefused' }>['reason'] =>
  reason === 'factor_is_demanded' || reason === 'last_way_to_sign_in' ? reason : 'factor_not_proven';

/** @throws StoreUnavailable, Unavailable */
export async function removePasskey(deps: PasskeyDeps, session: Session, id: string): Promise<RemoveOutcome> {
  const { userId, username } = session;
  const answer = isUuid(id)
    ? await askPasskey(
        deps,
        { userId, id },
        {
          type: 'removalRequested',
          isDemanded: demandsSecondFactor(deps.configuration(), username),
          byPasswordAlone: isByPasswordAlone(session),
        },
      )
    : null;
  if (answer === null) return { kind: 'removeRefused', reason: 'factor_unknown' };
  if (answer.kind === 'rejected') return { kind: 'removeRefused', reason: reasonOf(answer.reason) };
  await factorsChanged(deps, userId);
  await deps.tell?.(userId, 'passkey_removed');
  await withoutFactorsNoCodes(deps, userId);
  return { kind: 'removed' };
}
