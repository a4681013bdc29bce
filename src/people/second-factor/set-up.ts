/**
 * The set-up of an authenticator app. The page shows the secret, which becomes active once a code shows that the app
 * has it.
 */

import { makeRecoveryCode, RECOVERY_CODES, storedRecoveryCode } from '../../crypto/recovery-code.ts';
import { TOTP_SECRET_BYTES, totpSecretText, totpUri } from '../../crypto/totp.ts';
import { askSecondFactor } from '../../lifecycles/second-factor/lifecycle.ts';
import type { Session } from '../../model/session.ts';
import { BY_CODE } from '../../oauth/authentication-methods.ts';
import { isUuid } from '../../oauth/sub.ts';
import { type CookieHash, demandsSecondFactor, strengthenSession } from '../../protocol/browser-session.ts';
import { factorsChanged } from '../trust/trust.ts';
import { isByPasswordAlone, type SecondFactorDeps } from './deps.ts';
import { qrCode } from './qr-code.ts';
import { replaceRecoveryCodes, withoutFactorsNoCodes } from './removal.ts';
import { openSecret, sealSecret, stepOfCode } from './secret.ts';

/** For one end-user, unfinished set-ups included. */
const MAX_APPS = 10;

export type SetUp = {
  readonly id: string;
  /** For typing on a device without a camera: base32, in groups of four. */
  readonly secretText: string;
  /** SVG. */
  readonly qrCode: string;
};

/** @returns null: the end-user has the maximum. @throws StoreUnavailable */
export async function beginSetUp(
  deps: SecondFactorDeps,
  { userId, username }: Pick<Session, 'userId' | 'username'>,
): Promise<SetUp | null> {
  const apps = await deps.secondFactors.listApps(userId);
  // An unfinished set-up is of no use any more.
  const unfinished = apps.filter(({ state }) => state === 'unconfirmed');
  for (const { id } of unfinished) await askSecondFactor(deps, { userId, id }, { type: 'removalRequested' });
  if (apps.length - unfinished.length >= MAX_APPS) return null;
  const id = deps.random.uuid();
  const secret = totpSecretText(deps.random.bytes(TOTP_SECRET_BYTES));
  await deps.secondFactors.insertApp({ id, userId, sealedSecret: sealSecret(deps, { id, userId }, secret) });
  return shownSetUp(deps, { id, username, secret });
}

/** The set-up of a form that the page shows again. @returns null: it has ended. @throws StoreUnavailable */
export async function continueSetUp(
  deps: SecondFactorDeps,
  { userId, username }: Pick<Session, 'userId' | 'username'>,
  id: string,
): Promise<SetUp | null> {
  const factor = (await deps.secondFactors.listApps(userId)).find((one) => one.id === id);
  const secret = factor?.state === 'unconfirmed' ? openSecret(deps.keys, factor) : null;
  return secret === null ? null : shownSetUp(deps, { id, username, secret });
}

function shownSetUp(
  { issuer, configuration }: SecondFactorDeps,
  { id, username, secret }: { readonly id: string; readonly username: string; readonly secret: string },
): SetUp {
  const uri = totpUri(secret, nameInApps(issuer, configuration().branding.organization), username);
  return { id, secretText: secret.replaceAll(/(.{4})(?=.)/g, '$1 '), qrCode: qrCode(uri) };
}

/** The URI has the name twice, percent-encoded, and a QR code has a bounded size. */
const MAX_NAME_CHARACTERS = 40;

/** The name beside the code in the app. A colon separates it from the username, so the name has none. */
export const nameInApps = (issuer: string, organization: string | null): string =>
  organization === null
    ? new URL(issuer).host
    : [...organization.replaceAll(':', ' ')].slice(0, MAX_NAME_CHARACTERS).join('').trim();

export type ConfirmSent = {
  /** The id of the set-up. */
  readonly id: string | null;
  readonly code: string | null;
  /** The browser's new cookie when the code is right. */
  readonly newCookie: CookieHash;
};

export type ConfirmOutcome =
  /** `recoveryCodes`: for showing once. Null: the end-user already has codes. */
  | { readonly kind: 'confirmed'; readonly session: Session; readonly recoveryCodes: readonly string[] | null }
  | {
      readonly kind: 'confirmRefused';
      readonly reason: 'code_mismatch' | 'set_up_over' | 'factor_not_proven' | 'session_ended';
    };

/** @param session in which the password was right. @throws StoreUnavailable, Unavailable */
export async function confirmSetUp(
  deps: SecondFactorDeps,
  session: Session,
  { id, code, newCookie }: ConfirmSent,
): Promise<ConfirmOutcome> {
  const { userId } = session;
  const refused = (reason: Extract<ConfirmOutcome, { kind: 'confirmRefused' }>['reason']) =>
    ({ kind: 'confirmRefused', reason }) as const;
  if (id === null || !isUuid(id)) return refused('set_up_over');
  const answer = await askSecondFactor(
    deps,
    { userId, id },
    {
      type: 'confirmed',
      byPasswordAlone: isByPasswordAlone(session),
      ...stepOfCode(deps, code?.replaceAll(/\s/g, '') ?? ''),
    },
  );
  if (answer === null) return refused('set_up_over');
  if (answer.kind === 'rejected') {
    if (answer.reason === 'code_mismatch' || answer.reason === 'factor_not_proven') return refused(answer.reason);
    return refused('set_up_over');
  }
  await factorsChanged(deps, userId);
  await deps.tell?.(userId, 'second_factor_added');
  const factor = { kind: 'secondFactor', id } as const;
  const stronger = await strengthenSession(deps, session, newCookie, { factor, amr: BY_CODE });
  if (stronger === null) return refused('session_ended');
  return { kind: 'confirmed', session: stronger, recoveryCodes: await firstRecoveryCodes(deps, userId) };
}

/** The first factor brings recovery codes. @returns null: the end-user has some. @throws StoreUnavailable */
export async function firstRecoveryCodes(
  deps: Pick<SecondFactorDeps, 'random' | 'keys' | 'recoveryCodes'>,
  userId: string,
): Promise<readonly string[] | null> {
  const codes = Array.from({ length: RECOVERY_CODES }, () => makeRecoveryCode(deps.random));
  const stored = codes.map((code) => ({ id: deps.random.uuid(), hash: storedRecoveryCode(deps.keys, userId, code) }));
  return (await deps.recoveryCodes.insert(userId, stored)) ? codes : null;
}

/** The earlier codes become invalid. @throws StoreUnavailable, Unavailable */
export async function newRecoveryCodes(deps: SecondFactorDeps, userId: string): Promise<readonly string[] | null> {
  await replaceRecoveryCodes(deps, userId);
  return firstRecoveryCodes(deps, userId);
}

export type RemoveOutcome =
  | { readonly kind: 'removed' }
  | {
      readonly kind: 'removeRefused';
      readonly reason: 'factor_unknown' | 'factor_is_demanded' | 'factor_not_proven' | 'last_way_to_sign_in';
    };

/** @throws StoreUnavailable, Unavailable */
export async function removeApp(deps: SecondFactorDeps, session: Session, id: string): Promise<RemoveOutcome> {
  const { userId, username } = session;
  if (!isUuid(id)) return { kind: 'removeRefused', reason: 'factor_unknown' };
  const answer = await askSecondFactor(
    deps,
    { userId, id },
    {
      type: 'removalRequested',
      isDemanded: demandsSecondFactor(deps.configuration(), username),
      byPasswordAlone: isByPasswordAlone(session),
    },
  );
  if (answer === null) return { kind: 'removeRefused', reason: 'factor_unknown' };
  if (answer.kind === 'rejected') {
    return {
      kind: 'removeRefused',
      reason: answer.reason === 'factor_is_demanded' ? 'factor_is_demanded' : 'factor_not_proven',
    };
  }
  await factorsChanged(deps, userId);
  await deps.tell?.(userId, 'second_factor_removed');
  await withoutFactorsNoCodes(deps, userId);
  return { kind: 'removed' };
}
