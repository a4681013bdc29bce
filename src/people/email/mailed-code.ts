/**
 * The sign-in with a code by mail, where the policy allows it. A browser asks for a code, and the mail follows from the queue. The code
 * signs in the browser that asked.
 */
import type { SignInCodeRejectReason } from '../../../machines/sign-in-code/facts.ts';
import type { SignInPolicy } from '../../../policies/schema.ts';
import { sameSecretBytes } from '../../crypto/digest.ts';
import type { Random } from '../../crypto/random.ts';
import { IV_BYTES, openText, sealText } from '../../crypto/sealed-text.ts';
import {
  makeSignInCode,
  readSignInCode,
  shownSignInCode,
  signInCodeHashes,
  storedSignInCode,
} from '../../crypto/sign-in-code.ts';
import { DIRECT } from '../../lifecycles/sign-in-code/entity.ts';
import {
  askForCode,
  type LoadedSignInCode,
  presentCode,
  type SignInCodePolicy,
  type SignInCodeStore,
  sendCode,
} from '../../lifecycles/sign-in-code/lifecycle.ts';
import type { Session } from '../../model/session.ts';
import { addressKey, addressOf, type RegisteredUser } from '../../model/user.ts';
import { BY_MAILED_CODE } from '../../oauth/authentication-methods.ts';
import { createSession } from '../../protocol/browser-session.ts';
import {
  checkInTurn,
  rememberBrowser,
  type SignInDeps,
  type SignInForm,
  type TurnRefusal,
} from '../../protocol/sign-in.ts';
import { allowMailToAddress } from '../mail/limits.ts';
import { languagesOf, type MailsWanted, QUEUE_FULL, timeZoneOf } from '../mail/mail.ts';
import { type Asked, type Asker, admitAsker, isAllowedByDevice } from './asking.ts';
import type { LinkDeps } from './links.ts';

export type MailedCodeDeps = SignInDeps &
  Pick<LinkDeps, 'accounts' | 'outbox' | 'mailCounts' | 'knownDeviceOf' | 'sleep'> & {
    readonly signInCodes: SignInCodeStore;
    readonly random: Random;
    readonly identifiers: () => SignInPolicy['identifiers'];
  };

export const isCodeOffered = ({ configuration }: Pick<MailedCodeDeps, 'configuration'>): boolean =>
  configuration().signIn.codeByMail;

function policyOf({ configuration }: Pick<MailedCodeDeps, 'configuration'>): SignInCodePolicy {
  const { codeByMail, codeByMailLifetimeSeconds, codeByMailAttempts } = configuration().signIn;
  return {
    isOffered: codeByMail,
    lifetimeSeconds: codeByMailLifetimeSeconds,
    wrongCodesAllowed: codeByMailAttempts - 1,
  };
}

/** The browser that asks, and the sign-in in which it asks. */
export type CodeAsker = Asker & {
  /** SHA-256 of its cookie. */
  readonly browser: Uint8Array;
  /** Null: no client requested the sign-in. */
  readonly interactionId: string | null;
  readonly userAgent: string | null;
};

export type CodeAsked =
  /** The same for every typed text. `reference` names the code in the form of this browser. */
  { readonly kind: 'asked'; readonly reference: string } | Exclude<Asked, { readonly kind: 'asked' }>;

/**
 * Stores a code for every typed text, whether or not an account has it. The queue of mails looks up the account after the response. So
 * the response has the same words, statements and time for every text.
 * @throws StoreUnavailable, Unavailable
 */
export async function askForMailedCode(
  deps: MailedCodeDeps,
  typed: string | null,
  asker: CodeAsker,
): Promise<CodeAsked> {
  const admitted = await admitAsker(deps, typed, asker);
  if (admitted.kind !== 'admitted') return admitted;
  const { to, isSilent, onlyForDevice } = admitted;
  const id = deps.random.uuid();
  const code = makeSignInCode(deps.random);
  const account = await deps.users.accountKeyOf(to);
  const fresh = {
    id,
    codeHash: storedSignInCode(deps.keys, id, code),
    sealedAccount: sealText(deps.keys, 'sign-in-code', id, account, deps.random.bytes(IV_BYTES)),
    browserHash: asker.browser,
    place: asker.interactionId ?? DIRECT,
  };
  const asked = await askForCode(deps, fresh, policyOf(deps), deps.signInLedger.originOf(account));
  if (asked.kind === 'rejected') return { kind: 'addressRefused' };
  const { languages, userAgent } = asker;
  const wanted = { kind: 'code_wanted', to, languages, onlyForDevice, id, code, userAgent } as const;
  const isQueued = isSilent || (await deps.outbox.want(wanted));
  return isQueued ? { kind: 'asked', reference: id } : QUEUE_FULL;
}

/**
 * For the queue of mails. Safe to repeat: the code stays the same, and stays that of one end-user. @throws StoreUnavailable,
 * Unavailable
 */
export async function mailCode(
  deps: MailedCodeDeps,
  { to, languages, onlyForDevice, id, code, userAgent }: Extract<MailsWanted, { kind: 'code_wanted' }>,
): Promise<void> {
  const found = await deps.users.findForSignIn(to);
  const user = found === null ? null : await deps.accounts.find(found.id);
  if (user === null || !(await mayMail(deps, user, to, onlyForDevice))) return;
  const policy = policyOf(deps);
  const sent = await sendCode(deps, id, user.id, policy);
  if (sent === null || sent.kind === 'rejected' || sent.code.address === null) return;
  await deps.outbox.send({
    to: sent.code.address,
    userId: user.id,
    languages: languagesOf(user, languages),
    timeZone: timeZoneOf(user),
    content: {
      kind: 'mailed_code',
      username: user.username,
      code: shownSignInCode(code),
      lifetimeSeconds: policy.lifetimeSeconds,
      at: sent.code.createdAt,
      userAgent,
    },
  });
}

/** The request counted the typed text, and not yet the address of the account. */
async function mayMail(
  deps: MailedCodeDeps,
  user: RegisteredUser,
  to: string,
  onlyForDevice: string | null,
): Promise<boolean> {
  const own = addressOf(user);
  if (own === null || !own.isVerified) return false;
  if (onlyForDevice === null)
    return addressKey(own.address) === addressKey(to) || allowMailToAddress(deps, own.address);
  return isAllowedByDevice(deps, user, onlyForDevice);
}

export type CodeForm = Pick<SignInForm, 'address' | 'device' | 'userAgent' | 'gone' | 'requiredClass'> & {
  readonly cookie: SignInForm['cookie'];
  /** As the page of the code has it. Null: not sent. */
  readonly reference: string | null;
  /** Null: not sent. */
  readonly code: string | null;
  /** Null: no client requested the sign-in. */
  readonly interactionId: string | null;
};

/** `code_mismatch`: also where the right code does not sign in. A page must not tell the two apart. */
export type CodeRefusal = TurnRefusal | 'form_incomplete' | 'code_mismatch' | EndedReason;

export type CodeOutcome =
  | { readonly kind: 'signedIn' | 'factorRequired'; readonly session: Session }
  | { readonly kind: 'codeRefused'; readonly reason: CodeRefusal; readonly retryAfterSeconds: number | null };

const refusedWith = (reason: CodeRefusal, retryAfterSeconds: number | null = null): CodeOutcome => ({
  kind: 'codeRefused',
  reason,
  retryAfterSeconds,
});

/** @throws StoreUnavailable, Unavailable */
export async function signInByMailedCode(deps: MailedCodeDeps, form: CodeForm): Promise<CodeOutcome> {
  if (!form.code?.trim()) return refusedWith('form_incomplete');
  const { reference } = form;
  const loaded = reference === null ? null : await deps.signInCodes.load(reference);
  const stored = loaded?.codes[0];
  const account = stored ? openText(deps.keys, 'sign-in-code', stored.id, stored.sealedAccount) : null;
  if (!loaded || !stored || account === null) return refusedWith('code_unknown');
  const checked = await checkInTurn<CodeRefusal>(deps, form, {
    account,
    method: 'mailedCode',
    mismatch: 'code_mismatch',
    isUsedUp: true,
    prove: () => proveCode(deps, form, stored.id, account),
  });
  if (checked.kind === 'refused') return refusedWith(checked.reason, checked.retryAfterSeconds);
  const { requiredClass = null, cookie, userAgent } = form;
  const authentication = { amr: BY_MAILED_CODE, method: 'mailedCode', requiredClass } as const;
  const session = await createSession(deps, checked.user, cookie, userAgent, authentication);
  if (session === null) {
    const { id: userId, username } = checked.user;
    await deps.signInLedger.refused({ method: 'mailedCode', reason: 'code_mismatch', username, userId });
    return refusedWith('code_mismatch');
  }
  // A thief of the mailbox alone has no trusted device.
  if (session.state !== 'active') return { kind: 'factorRequired', session };
  rememberBrowser(deps, form.device, checked.user, checked.now);
  deps.whenSignedIn?.(session);
  return { kind: 'signedIn', session };
}

/** A code that has ended was not guessed. Its end says nothing about an account. */
const ENDED = [
  'code_unknown',
  'code_expired',
  'code_used',
  'code_spent',
  'code_superseded',
  'another_browser',
  'another_place',
  'not_offered',
] as const satisfies readonly SignInCodeRejectReason[];
type EndedReason = (typeof ENDED)[number];
const isEnded = (reason: SignInCodeRejectReason): reason is EndedReason => ENDED.some((ended) => ended === reason);

async function proveCode(deps: MailedCodeDeps, form: CodeForm, id: string, account: string) {
  // In this turn: an attempt before it may have changed the code.
  const loaded: LoadedSignInCode | null = await deps.signInCodes.load(id);
  if (loaded === null) return { kind: 'unchecked', reason: 'code_unknown' } as const;
  const typed = readSignInCode(form.code ?? '');
  const presented = {
    hashes: typed === null ? [] : signInCodeHashes(deps.keys, id, typed),
    browserHash: form.cookie.browser,
    place: form.interactionId ?? DIRECT,
    origin: deps.signInLedger.originOf(account),
    sameBytes: sameSecretBytes,
  };
  const answer = await presentCode(deps, id, presented, policyOf(deps), loaded);
  if (answer === null) return { kind: 'unchecked', reason: 'code_unknown' } as const;
  const user = answer.kind === 'accepted' ? await deps.users.findToVerify(answer.userId) : null;
  // Since the code was used, the end-user may have ended every session.
  if (user !== null && answer.kind === 'accepted' && user.epoch === answer.userEpoch)
    return { kind: 'right', user } as const;
  return answer.kind === 'rejected' && isEnded(answer.reason)
    ? ({ kind: 'unchecked', reason: answer.reason } as const)
    : ({ kind: 'wrong', userId: loaded.user?.id ?? null } as const);
}
