/**
 * A code of an authenticator app, or a recovery code, adds a factor to the session. Only a browser in which the
 * password was right gets here, so a stranger cannot use up the attempts of an account.
 */
import { knownDevice } from '../../crypto/device-cookie.ts';
import { hmacSha256 } from '../../crypto/digest.ts';
import { keptRecoveryCodeHashes, readRecoveryCodes, recoveryCodeHashes } from '../../crypto/recovery-code.ts';
import { askRecoveryCode } from '../../lifecycles/recovery-code/lifecycle.ts';
import { askSecondFactor } from '../../lifecycles/second-factor/lifecycle.ts';
import type { ProvenFactor } from '../../lifecycles/session/lifecycle.ts';
import type { Session } from '../../model/session.ts';
import { BY_CODE } from '../../oauth/authentication-methods.ts';
import { type CookieHash, strengthenSession } from '../../protocol/browser-session.ts';
import type { SecondFactorDeps } from './deps.ts';
import { stepOfCode } from './secret.ts';

/**
 * The number of wrong codes of one account per window, after which the account has to wait. A trusted device has a
 * limit of its own, so that a thief of the password does not block the owner.
 */
const FAILURES_PER_WINDOW = 5;

export type CodeSent = {
  /** Null: not sent, or unreadable. */
  readonly code: string | null;
  /** The device cookie, as sent. Null: none. */
  readonly deviceCookie: string | null;
  /** The browser's new cookie when the code is right. */
  readonly newCookie: CookieHash;
  /** Aborts when the caller no longer waits for the answer. */
  readonly gone: AbortSignal;
};

export type CodeRefusal =
  | 'form_incomplete'
  | 'code_mismatch'
  | 'code_reused'
  | 'throttled_account'
  | 'busy'
  | 'session_ended';
export type CodeRefused = {
  readonly kind: 'codeRefused';
  readonly reason: CodeRefusal;
  /** The method whose code it seems to be: six digits are a code of an app. */
  readonly method: 'secondFactor' | 'recoveryCode';
  /** Null: an immediate retry may succeed. */
  readonly retryAfterSeconds: number | null;
};
export type ProveOutcome =
  | { readonly kind: 'proven'; readonly session: Session; readonly factor: ProvenFactor }
  | CodeRefused;

const BUSY_SECONDS = 2;

/** @param session awaits a second factor, or is active and becomes stronger. @throws StoreUnavailable, Unavailable */
export async function proveByCode(deps: SecondFactorDeps, session: Session, sent: CodeSent): Promise<ProveOutcome> {
  const code = sent.code?.trim() ?? '';
  if (code === '') return refused('form_incomplete');
  // The queue checks the codes of one account in sequence, so that concurrent guesses cannot exceed the limit.
  const place = { line: `codes of ${session.userId}`, ticket: session.sid, signal: sent.gone };
  const turn = await deps.signInCapacity.attempts.run(place, () => checkCode(deps, session, code, sent.deviceCookie));
  if (turn.kind !== 'done') return refused('busy', BUSY_SECONDS);
  if (turn.value.kind === 'codeRefused') return turn.value;
  const stronger = await strengthenSession(deps, session, sent.newCookie, { factor: turn.value, amr: BY_CODE });
  if (stronger === null) return refused('session_ended');
  if (session.state === 'awaitingSecondFactor') deps.whenSignedIn?.(stronger);
  return { kind: 'proven', session: stronger, factor: turn.value };
}

const refused = (
  reason: CodeRefusal,
  retryAfterSeconds: number | null = null,
  method: CodeRefused['method'] = 'secondFactor',
): CodeRefused => ({ kind: 'codeRefused', reason, retryAfterSeconds, method });

async function checkCode(
  deps: SecondFactorDeps,
  { userId, username }: Session,
  code: string,
  deviceCookie: string | null,
): Promise<ProvenFactor | CodeRefused> {
  const { failureWindowSeconds } = deps.configuration().signIn;
  const device = knownDevice(deps.keys, deviceCookie, { name: deps.users.keyOf(username), userId });
  const keyOf = (whose: string) => hmacSha256(deps.keys.first.key('throttle'), `code\n${whose}`);
  const [ofOthers, ofDevice] = [keyOf(userId), keyOf(`${userId}\n${device?.id ?? ''}`)];
  const { now, failures } = await deps.signInFailures.recentOf([ofOthers, ofDevice]);
  const isKnown = device !== null && device.endsAt > now;
  const key = isKnown ? ofDevice : ofOthers;
  if ((failures[isKnown ? 1 : 0]?.failures ?? 0) >= FAILURES_PER_WINDOW)
    return refused('throttled_account', failureWindowSeconds);
  const isOfApp = /^\d[\d ]*$/.test(code) && code.replaceAll(' ', '').length === 6;
  const checked = isOfApp
    ? await checkAppCode(deps, userId, code.replaceAll(' ', ''))
    : await checkRecoveryCode(deps, userId, code);
  if (typeof checked !== 'string') return checked;
  await deps.signInFailures.count([key], failureWindowSeconds);
  const method = isOfApp ? 'secondFactor' : 'recoveryCode';
  await deps.signInLedger.refused({ method, reason: checked, username, userId });
  return refused(checked, null, method);
}

type Checked = ProvenFactor | 'code_mismatch' | 'code_reused';

async function checkAppCode(deps: SecondFactorDeps, userId: string, code: string): Promise<Checked> {
  const { stepOf, reseal } = stepOfCode(deps, code);
  let found: Checked = 'code_mismatch';
  for (const loaded of await deps.secondFactors.loadActive(userId)) {
    const { id } = loaded.factor;
    const answer = await askSecondFactor(deps, { userId, id }, { type: 'presented', stepOf, reseal }, loaded);
    if (answer?.kind === 'accepted') return { kind: 'secondFactor', id };
    if (answer?.reason === 'code_reused') found = 'code_reused';
  }
  return found;
}

async function checkRecoveryCode(deps: SecondFactorDeps, userId: string, typed: string): Promise<Checked> {
  const stored = typed.length > MAX_TYPED ? null : await findRecoveryCode(deps, userId, readRecoveryCodes(typed));
  if (stored === null) return 'code_mismatch';
  const answer = await askRecoveryCode(deps, stored, 'presented');
  if (answer.kind === 'accepted') return { kind: 'recoveryCode', id: stored.code.id };
  return answer.reason === 'recovery_code_used' ? 'code_reused' : 'code_mismatch';
}

/** As the form takes it. */
const MAX_TYPED = 32;

async function findRecoveryCode(
  { recoveryCodes, keys, keptKeys }: SecondFactorDeps,
  userId: string,
  texts: readonly string[],
) {
  const hashes = texts.flatMap((text) => recoveryCodeHashes(keys, userId, text));
  const found = await recoveryCodes.find(userId, hashes);
  if (found !== null) return found;
  const kept = await keptKeys();
  const older = texts.flatMap((text) => keptRecoveryCodeHashes(keys, kept, userId, text));
  return older.length === 0 ? null : recoveryCodes.find(userId, older);
}
