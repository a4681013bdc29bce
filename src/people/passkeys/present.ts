/**
 * Checks an authenticator's answer: the challenge is this server's and unspent, and the signature belongs to an active
 * passkey.
 */
import { base64urlDecode } from '../../crypto/base64url.ts';
import { siteOf } from '../../crypto/passkey-challenge.ts';
import { verifiedCounter } from '../../crypto/webauthn.ts';
import { isSecondFactorOnly } from '../../lifecycles/passkey/entity.ts';
import { askPasskey, type PasskeyStore } from '../../lifecycles/passkey/lifecycle.ts';
import type { ProvenFactor } from '../../lifecycles/session/lifecycle.ts';
import { type ChallengeDeps, readAnswer } from './challenge.ts';
import { isOwnedUnder } from './imported.ts';

export type PresentDeps = ChallengeDeps & {
  readonly issuer: string;
  readonly passkeys: PasskeyStore;
  /** Takes milliseconds. */
  readonly sleep: (milliseconds: number) => Promise<void>;
};

export type PasskeyRefusal =
  | 'challenge_refused'
  | 'passkey_unknown'
  | 'signature_mismatch'
  | 'signature_counter_fell_back'
  | 'factor_removed'
  | 'user_ended';

export type Presented =
  | {
      readonly kind: 'presented';
      readonly userId: string;
      readonly factor: ProvenFactor;
      readonly backupEligible: boolean;
      /** Before the check. */
      readonly userEpoch: bigint | undefined;
    }
  /** `userId`: the owner of the passkey. Null: unknown. */
  | { readonly kind: 'passkeyRefused'; readonly reason: PasskeyRefusal; readonly userId: string | null };

/**
 * @param credential JSON. Null: not sent. @param purpose of the challenge. @param of the account whose passkey is
 * requested. Null: any account. @throws StoreUnavailable, Unavailable
 */
export async function presentPasskey(
  deps: PresentDeps,
  {
    credential,
    purpose,
    of,
  }: { readonly credential: string | null; readonly purpose: string; readonly of: string | null },
): Promise<Presented> {
  const refused = (reason: PasskeyRefusal, userId: string | null = null) =>
    ({ kind: 'passkeyRefused', reason, userId }) as const;
  const answer = readAnswer(deps, purpose, credential);
  if (answer === null) return refused('challenge_refused');
  const { sent, challenge, spend } = answer;
  const site = siteOf(deps.issuer);
  const credentialId = base64urlDecode(sent.id);
  const loaded = credentialId && (await deps.passkeys.load({ credentialId }));
  if (!credentialId || !loaded) return refused('passkey_unknown');
  const { id, userId, publicKey, backupEligible } = loaded.passkey;
  if (of !== null && of !== userId) return refused('passkey_unknown');
  const isSecond = isSecondFactorOnly(loaded.passkey);
  if (of === null && isSecond) return refused('passkey_unknown');
  // The authenticator names the owner of the passkey.
  const handle = sent.response.userHandle;
  if (handle !== undefined && !isOwnedUnder(loaded.passkey, Buffer.from(handle, 'base64url')))
    return refused('passkey_unknown');
  const counter = site && (await verifiedCounter(sent, { site, challenge, publicKey, isSecondFactorOnly: isSecond }));
  if (typeof counter === 'number' && !(await spend())) return refused('challenge_refused', userId);
  const decided = await askPasskey(deps, { credentialId }, { type: 'presented', counter }, loaded);
  if (decided === null) return refused('passkey_unknown');
  if (decided.kind === 'rejected') return refused(decided.reason as PasskeyRefusal, userId);
  return { kind: 'presented', userId, factor: { kind: 'passkey', id }, backupEligible, userEpoch: loaded.userEpoch };
}
