/**
 * The page of the link that makes the first operator, and its button. Showing the page changes no state. The account begins with a
 * password, and its first session awaits a second factor: a passkey or an authenticator app.
 */
import type { OperatorSetUpRejectReason } from '../../../machines/operator-set-up/facts.ts';
import { hashPassword } from '../../crypto/password.ts';
import type { Random } from '../../crypto/random.ts';
import { rawSecret } from '../../crypto/secret-types.ts';
import type { OperatorSetUp } from '../../lifecycles/operator-set-up/entity.ts';
import {
  type LoadedOperatorSetUp,
  type OperatorAccount,
  type OperatorSetUpStore,
  type SetUpUsed,
  useSetUp,
} from '../../lifecycles/operator-set-up/lifecycle.ts';
import type { NewPasskey } from '../../lifecycles/passkey/lifecycle.ts';
import { NO_PASSWORD } from '../../model/user.ts';
import { isChosenUsername, usernameKey } from '../../oauth/username.ts';
import { isOfOneWriting } from '../../oauth/username-scripts.ts';
import { formPurpose } from '../../protocol/form-purpose.ts';
import type { SignInDeps } from '../../protocol/sign-in.ts';
import { type IsBreached, minimumCharacters, passwordProblem, serviceNames } from '../passwords/rules.ts';
import {
  accountByPasskey,
  type NewAccountForm,
  type NewAccountProblem,
  type PasskeySignUpDeps,
  type ShownAgain,
} from '../sign-up/by-passkey.ts';
import { hashOfSetUpSecret } from './issue.ts';

export type OperatorSetUpDeps = PasskeySignUpDeps &
  Pick<SignInDeps, 'configuration' | 'signInCapacity' | 'signInLedger' | 'sleep'> & {
    readonly issuer: string;
    readonly random: Random;
    readonly setUps: OperatorSetUpStore;
    readonly isBreached: IsBreached;
    /** The usernames of operators.yaml. */
    readonly declaredOperators: () => readonly string[];
    /** Brings the operator's right into force on this node. */
    readonly operatorMade: () => Promise<void>;
  };

/** Why the link has no effect; after the other reasons, the page appears again. */
export type UselessSetUp = Exclude<
  OperatorSetUpRejectReason,
  'username_not_expected' | 'username_taken' | 'passkey_is_registered'
>;

export type UsableSetUp = {
  readonly kind: 'usable';
  /** Whom the link is for; null: its user types a username. */
  readonly username: string | null;
  /** Of the password that the form sets. */
  readonly minimumCharacters: number;
  readonly formPurpose: string;
};
export type SetUpView = UsableSetUp | { readonly kind: 'useless'; readonly reason: UselessSetUp };

/** @param secret as in the URL. Null: not sent. @throws StoreUnavailable */
export async function viewSetUp(deps: OperatorSetUpDeps, secret: string | null): Promise<SetUpView> {
  const found = await find(deps, secret);
  if (found === null) return { kind: 'useless', reason: 'set_up_unknown' };
  const reason = uselessBecause(found);
  return reason === null ? usableView(deps, found.setUp) : { kind: 'useless', reason };
}

function usableView({ configuration, declaredOperators }: OperatorSetUpDeps, setUp: OperatorSetUp): UsableSetUp {
  const [only, ...others] = declaredOperators();
  return {
    kind: 'usable',
    username: setUp.username ?? (others.length === 0 ? (only ?? null) : null),
    minimumCharacters: minimumCharacters({ hasSecondFactor: true, policy: configuration().signIn }),
    formPurpose: formPurpose.firstOperator(setUp.id),
  };
}

type Found = { readonly loaded: LoadedOperatorSetUp; readonly setUp: OperatorSetUp };

async function find({ setUps, declaredOperators }: OperatorSetUpDeps, secret: string | null): Promise<Found | null> {
  const secretHash = hashOfSetUpSecret(secret);
  if (secretHash === null) return null;
  const loaded = await setUps.load({ meant: { secretHash }, declared: declaredOperators(), username: null });
  // A random secret of 256 bits is compared by the index over its hash.
  const setUp = loaded.setUps.find((one) => Buffer.compare(one.secretHash, secretHash) === 0);
  return setUp ? { loaded, setUp } : null;
}

/** For the page. The machine decides the effect of the button. */
function uselessBecause({ loaded, setUp }: Found): UselessSetUp | null {
  if (setUp.state === 'used') return 'set_up_used';
  if (setUp.state === 'ended') return 'set_up_ended';
  if (loaded.now >= setUp.endsAt) return 'set_up_expired';
  if (loaded.serverEpoch !== setUp.serverEpoch) return 'server_recovered';
  return loaded.operatorIsDeclared || loaded.operatorBySetUp !== null ? 'operator_exists' : null;
}

export type SetUpForm = NewAccountForm & { readonly network: string; readonly gone: AbortSignal };

export type SetUpProblem = NewAccountProblem | 'usernameNotExpected';

export type SetUpOutcome =
  | { readonly kind: 'formRefused' }
  | { readonly kind: 'useless'; readonly reason: UselessSetUp }
  | ShownAgain<SetUpProblem, UsableSetUp>
  | (SetUpUsed & { readonly passkey: NewPasskey | null });

/** @throws StoreUnavailable, Unavailable */
export async function submitSetUp(deps: OperatorSetUpDeps, form: SetUpForm): Promise<SetUpOutcome> {
  const found = await find(deps, form.secret);
  if (found === null) return { kind: 'useless', reason: 'set_up_unknown' };
  const { setUp } = found;
  if (!form.isOurForm(formPurpose.firstOperator(setUp.id))) return { kind: 'formRefused' };
  // The server hashes no password for an invalid link.
  const useless = uselessBecause(found);
  if (useless !== null) return { kind: 'useless', reason: useless };

  const view = usableView(deps, setUp);
  const username = (view.username ?? form.username ?? '').trim();
  const again = (problem: SetUpProblem): SetUpOutcome => ({ kind: 'again', problem, view, username });
  const account = await accountOf(deps, { ...form, username }, view);
  if (typeof account === 'string' || 'reason' in account) return again(account);
  const origin = deps.signInLedger.originOf(username);
  const outcome = await useSetUp(deps, setUp.id, account, deps.declaredOperators(), origin);
  if (outcome.kind === 'rejected') {
    const { reason } = outcome;
    if (reason === 'username_taken') return again('usernameTaken');
    if (reason === 'passkey_is_registered') return again('passkeyRefused');
    return reason === 'username_not_expected' ? again('usernameNotExpected') : { kind: 'useless', reason };
  }
  await deps.operatorMade();
  return { ...outcome, passkey: account.passkey };
}

/** @returns the account of the form, or the problem with the input. */
async function accountOf(
  deps: OperatorSetUpDeps,
  form: SetUpForm & { readonly username: string },
  view: UsableSetUp,
): Promise<OperatorAccount | SetUpProblem> {
  const { username, password: typed, credential, network, gone } = form;
  const unfit = usernameProblem(deps, view, username);
  if (unfit !== null) return unfit;
  if (credential !== null && credential !== '') {
    const made = await accountByPasskey(deps, form, view.formPurpose, credential, username);
    return made === null
      ? 'passkeyRefused'
      : { ...made.registration, id: made.id, passwordHash: NO_PASSWORD, passkey: made.passkey };
  }
  const password = rawSecret(typed ?? '');
  if (password === '') return 'incomplete';
  const { signIn, branding } = deps.configuration();
  const problem = await passwordProblem(password, {
    username,
    hasSecondFactor: true,
    service: serviceNames(deps.issuer, branding.organization),
    policy: signIn,
    isBreached: deps.isBreached,
  });
  if (problem !== null) return problem;
  const place = { line: network, ticket: deps.random.uuid(), signal: gone };
  const hashed = await deps.signInCapacity.hashes.run(place, () => hashPassword(password));
  return hashed.kind === 'done'
    ? { id: deps.random.uuid(), username, passwordHash: hashed.value, passkey: null }
    : 'busy';
}

function usernameProblem(
  { declaredOperators }: OperatorSetUpDeps,
  view: UsableSetUp,
  username: string,
): SetUpProblem | null {
  if (username === '') return 'incomplete';
  if (!isChosenUsername(username)) return 'usernameRefused';
  if (!isOfOneWriting(username)) return 'usernameMixesScripts';
  const declared = declaredOperators().map(usernameKey);
  const isExpected = view.username !== null || declared.length === 0 || declared.includes(usernameKey(username));
  return isExpected ? null : 'usernameNotExpected';
}
