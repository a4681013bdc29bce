/**
 * The page of a link from a mail, and its button. Showing the page changes no state, because mail scanners open links.
 * The user who presses the button answers no other question: the link itself is the proof. For a new password, the link
 * is one factor of several, and it does not sign the user in.
 */
import type { EmailChallengePurpose, EmailChallengeRejectReason } from '../../../machines/email-challenge/facts.ts';
import type { SignInPolicy } from '../../../policies/schema.ts';
import { type PasswordHash, type RawSecret, rawSecret } from '../../crypto/secret-types.ts';
import type { EmailChallenge } from '../../lifecycles/email-challenge/entity.ts';
import {
  type LinkUse,
  type LinkUsed,
  type LoadedEmailChallenge,
  useLink,
} from '../../lifecycles/email-challenge/lifecycle.ts';
import type { NewPasskey } from '../../lifecycles/passkey/lifecycle.ts';
import type { RegisteredUser } from '../../model/user.ts';
import { isChosenUsername, usernameKey } from '../../oauth/username.ts';
import { isOfOneWriting } from '../../oauth/username-scripts.ts';
import { formPurpose } from '../../protocol/form-purpose.ts';
import { languagesOf, type Mail, timeZoneOf } from '../mail/mail.ts';
import { notify } from '../mail/notify.ts';
import type { PasswordProblem } from '../passwords/rules.ts';
import {
  accountByPasskey,
  type NewAccountForm,
  type NewAccountProblem,
  type PasskeySignUpDeps,
  type ShownAgain,
} from '../sign-up/by-passkey.ts';
import { drawLink, hashOfSecret, LINK_LIFETIME_SECONDS, type LinkDeps, type SignsInElsewhere } from './links.ts';

export type UseLinkDeps = LinkDeps &
  SignsInElsewhere &
  PasskeySignUpDeps & {
    /** By the current policy: a new account may have a passkey instead of a password. */
    readonly passkeyIsOffered: () => boolean;
    /** A username that has a role before any account has it. Sign-up refuses it. */
    readonly isReserved: (username: string) => boolean;
    /** The problem with a new password. Null: none. */
    readonly passwordProblem: (password: RawSecret, of: PasswordOwner) => Promise<PasswordProblem | null>;
    /** The minimum length of a new password, in characters. */
    readonly minimumCharacters: (of: Pick<PasswordOwner, 'userId' | 'username'>) => Promise<number>;
    /** Runs in a bounded queue. Null: the queue is full, and no password was hashed. */
    readonly hashPassword: (password: RawSecret, place: Caller) => Promise<PasswordHash | null>;
    /** The identifiers of end-users, by the current policy. */
    readonly identifiers: () => SignInPolicy['identifiers'];
    /** Removes every passkey, authenticator app and recovery code, each through its machine. */
    readonly removeLostFactors: (userId: string) => Promise<void>;
  };

export type LinkPurpose = EmailChallengePurpose;
/** The reason why a link has no effect. After a refused passkey, the page appears again. */
export type LinkRefusal = Exclude<EmailChallengeRejectReason, 'passkey_not_offered' | 'passkey_is_registered'>;

export type PasswordOwner = {
  /** Null: the account does not exist yet. */
  readonly userId: string | null;
  readonly username: string;
  readonly address: string;
};
export type Caller = { readonly network: string; readonly gone: AbortSignal };

type LinkViewDeps = Pick<UseLinkDeps, 'challenges' | 'minimumCharacters' | 'identifiers' | 'passkeyIsOffered'>;
export type UsableLinkView = Extract<LinkView, { kind: 'usable' }>;

export type LinkView =
  | {
      readonly kind: 'usable';
      readonly purpose: EmailChallengePurpose;
      readonly address: string;
      /** Null, as the username is: the account does not exist yet. */
      readonly userId: string | null;
      readonly username: string | null;
      /** The form asks for the username of the new account. Otherwise the address is the username. */
      readonly asksForUsername: boolean;
      /** The minimum length of the password that the form sets. Null: it sets none. */
      readonly minimumCharacters: number | null;
      /** The new account may have a passkey instead of a password. */
      readonly offersPasskey: boolean;
      /** The request of an app continues afterwards. */
      readonly resumes: boolean;
      readonly formPurpose: string;
    }
  | { readonly kind: 'useless'; readonly reason: LinkRefusal };

/** @param secret as in the URL. Null: not sent. @throws StoreUnavailable */
export async function viewLink(deps: LinkViewDeps, secret: string | null): Promise<LinkView> {
  const found = await find(deps, secret);
  if (found === null) return { kind: 'useless', reason: 'link_unknown' };
  const { challenge, user } = found;
  const reason = uselessBecause(challenge, found.loaded.now);
  if (reason !== null) return { kind: 'useless', reason };
  return usableView(deps, challenge, user);
}

async function usableView(
  { minimumCharacters, identifiers, passkeyIsOffered }: LinkViewDeps,
  { id, purpose, address, resumption }: EmailChallenge,
  user: RegisteredUser | null,
): Promise<UsableLinkView> {
  const owner = { userId: user?.id ?? null, username: user?.username ?? '' };
  return {
    kind: 'usable',
    purpose,
    address,
    userId: owner.userId,
    username: user?.username ?? null,
    asksForUsername: makesAccount(purpose) && identifiers() === 'username',
    minimumCharacters: setsPassword(purpose) ? await minimumCharacters(owner) : null,
    offersPasskey: makesAccount(purpose) && passkeyIsOffered(),
    resumes: resumption !== null,
    formPurpose: formPurpose.emailLink(id),
  };
}

const makesAccount = (purpose: LinkPurpose): boolean => purpose === 'sign_up' || purpose === 'invitation';
/** Of such a link, the address is the verified one afterwards. */
const verifies = (purpose: LinkPurpose): boolean => purpose !== 'reset_password' && purpose !== 'lost_factors';
const setsPassword = (purpose: LinkPurpose): boolean => makesAccount(purpose) || purpose === 'reset_password';

type Found = {
  readonly loaded: LoadedEmailChallenge;
  readonly secretHash: Buffer;
  readonly challenge: EmailChallenge;
  readonly user: RegisteredUser | null;
};

async function find({ challenges }: Pick<LinkDeps, 'challenges'>, secret: string | null): Promise<Found | null> {
  const secretHash = hashOfSecret(secret);
  if (secretHash === null) return null;
  const loaded = await challenges.load({ kind: 'secret', secretHash, username: null });
  const challenge = loaded.challenges.find((one) => Buffer.compare(one.secretHash, secretHash) === 0);
  return challenge ? { loaded, secretHash, challenge, user: loaded.user } : null;
}

/** For the page. The machine decides the effect of the button. */
function uselessBecause({ state, endsAt }: EmailChallenge, now: Date): LinkRefusal | null {
  if (state !== 'active') return state === 'used' ? 'link_used' : 'link_superseded';
  return now >= endsAt ? 'link_expired' : null;
}

/** Without a username, the address is the one of a new account, where addresses identify. */
export type LinkForm = NewAccountForm & {
  /** Whether this end-user has typed the password in the browser that sends the form. */
  readonly passwordIsProvenBy: (userId: string) => Promise<boolean>;
  readonly caller: Caller;
  /** The languages of the browser, the best first. */
  readonly languages: readonly string[];
};

export type FormProblem = NewAccountProblem | 'usernameIsAddress' | 'addressTaken';

export type LinkOutcome =
  | { readonly kind: 'formRefused' }
  | { readonly kind: 'useless'; readonly reason: LinkRefusal }
  | ShownAgain<FormProblem, UsableLinkView>
  /** `passkey`: with which the new account begins. Null: with a password, or the link makes no account. */
  | {
      readonly kind: 'done';
      readonly purpose: EmailChallengePurpose;
      readonly used: LinkUsed;
      readonly passkey: NewPasskey | null;
    };

/** @throws StoreUnavailable, Unavailable */
export async function submitLink(deps: UseLinkDeps, form: LinkForm): Promise<LinkOutcome> {
  const found = await find(deps, form.secret);
  if (found === null) return { kind: 'useless', reason: 'link_unknown' };
  const { challenge, user, secretHash, loaded } = found;
  const { purpose, id } = challenge;
  if (!form.isOurForm(formPurpose.emailLink(id))) return { kind: 'formRefused' };
  // The server hashes no password for an invalid link.
  const useless = uselessBecause(challenge, loaded.now);
  if (useless !== null) {
    const account = { username: user?.username ?? null, userId: user?.id ?? null };
    await deps.signInLedger.refused({ method: 'link', reason: useless, ...account });
    return { kind: 'useless', reason: useless };
  }

  const again = async (problem: FormProblem): Promise<LinkOutcome> => ({
    kind: 'again',
    problem,
    view: await usableView(deps, challenge, user),
    username: form.username ?? '',
  });
  const use = await useOf(deps, challenge, user, form);
  if (typeof use === 'string' || 'reason' in use) return again(use);
  const undo = purpose === 'change_address' ? drawLink(deps, 'undo_change') : null;
  const isProven =
    purpose === 'lost_factors' &&
    user !== null &&
    !(await deps.signsInElsewhere(user.id)) &&
    (await form.passwordIsProvenBy(user.id));
  const username = use.kind === 'account' ? use.registration.username : (user?.username ?? null);
  const origin = deps.signInLedger.originOf(username);
  const outcome = await useLink(deps, secretHash, use, undo && withoutUrl(undo), {
    passwordIsProven: isProven,
    origin,
    address: verifies(purpose) ? usernameKey(challenge.address) : null,
  });
  if (outcome.kind === 'rejected') {
    const { reason } = outcome;
    if (reason === 'passkey_not_offered' || reason === 'passkey_is_registered') return again('passkeyRefused');
    if (reason === 'username_taken') return again(username === challenge.address ? 'addressTaken' : 'usernameTaken');
    return reason === 'address_taken' && use.kind === 'account' ? again('addressTaken') : { kind: 'useless', reason };
  }
  // After a crash in between, a factor remains, and the end-user asks for another link.
  if (purpose === 'lost_factors') await deps.removeLostFactors(outcome.user.id);
  await tell(deps, outcome, undo?.url ?? null, form.languages);
  return { kind: 'done', purpose, used: outcome, passkey: use.kind === 'account' ? use.passkey : null };
}

const withoutUrl = ({ url: _, ...drawn }: ReturnType<typeof drawLink>) => drawn;

/** @returns the values that come with the button, or the problem with the input. */
async function useOf(
  deps: UseLinkDeps,
  { id, purpose, address }: EmailChallenge,
  user: RegisteredUser | null,
  form: LinkForm,
): Promise<LinkUse | FormProblem> {
  if (!setsPassword(purpose)) return { kind: 'press' };
  const isNew = makesAccount(purpose);
  const username = isNew ? chosenUsername(form, address, deps.identifiers()) : (user?.username ?? '');
  const password = rawSecret(form.password ?? '');
  const credential = isNew && form.credential !== '' ? form.credential : null;
  if ((password === '' && credential === null) || (isNew && username === '')) return 'incomplete';
  const unfit = isNew ? unfitUsername(deps, username, address) : null;
  if (unfit !== null) return unfit;
  if (credential !== null)
    return (await accountByPasskey(deps, form, formPurpose.emailLink(id), credential, username)) ?? 'passkeyRefused';
  const problem = await deps.passwordProblem(password, { userId: user?.id ?? null, username, address });
  if (problem !== null) return problem;
  const passwordHash = await deps.hashPassword(password, form.caller);
  if (passwordHash === null) return 'busy';
  if (!isNew) return { kind: 'password', passwordHash };
  const registration = { username, passwordHash, claims: {} };
  return { kind: 'account', id: deps.random.uuid(), registration, passkey: null };
}

/** Where addresses identify, the visitor need not invent a username. */
function chosenUsername({ username }: LinkForm, address: string, identifiers: SignInPolicy['identifiers']): string {
  const typed = (username ?? '').trim();
  return typed === '' && identifiers !== 'username' ? address : typed;
}

/** @param address of the link, which the user has shown to be theirs */
function unfitUsername(deps: UseLinkDeps, username: string, address: string): FormProblem | null {
  const isOwnAddress = usernameKey(username) === usernameKey(address);
  if (!isChosenUsername(username)) return 'usernameRefused';
  // The local part of an address may be in another writing than its domain.
  const parts = isOwnAddress ? username.split('@') : [username];
  if (!parts.every((part) => isOfOneWriting(part))) return 'usernameMixesScripts';
  // The answer is the same for every address, whether or not an account has it.
  if (deps.identifiers() !== 'username' && username.includes('@') && !isOwnAddress) return 'usernameIsAddress';
  return deps.isReserved(username) ? (isOwnAddress ? 'addressTaken' : 'usernameTaken') : null;
}

/** Mails that notify the affected user. */
async function tell(
  deps: UseLinkDeps,
  { at, challenge, before, user, undo }: LinkUsed,
  undoUrl: string | null,
  browser: readonly string[],
): Promise<void> {
  const languages = languagesOf(user, browser);
  if (challenge.purpose === 'reset_password') await notify(deps, user.id, { kind: 'password_changed', at }, browser);
  if (challenge.purpose === 'lost_factors') await notify(deps, user.id, { kind: 'factors_removed', at }, browser);
  if (challenge.purpose === 'undo_change') await notify(deps, user.id, { kind: 'address_restored', at }, browser);
  if (challenge.purpose === 'change_address' && undo !== null && undoUrl !== null && before !== null) {
    const mail: Mail = {
      to: undo.address,
      userId: user.id,
      languages,
      timeZone: timeZoneOf(user),
      content: {
        kind: 'address_changed',
        username: user.username,
        link: undoUrl,
        lifetimeSeconds: LINK_LIFETIME_SECONDS.undo_change,
      },
    };
    await deps.outbox.later(() => deps.outbox.send(mail));
  }
}
