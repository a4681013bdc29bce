/**
 * Authenticator apps, passkeys and recovery codes that end-users bring from another system, each through its own machine. Ids are derived,
 * so a repeated import changes nothing, and a factor that its end-user has removed since does not come back.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FactorRejectReason } from '../../machines/shared/facts.ts';
import { derivedId } from '../crypto/derived-id.ts';
import { importedCodeText, recoveryCodeHashes, storedCodeText } from '../crypto/recovery-code.ts';
import { earlierTotp } from '../crypto/totp.ts';
import { registerPasskey } from '../lifecycles/passkey/lifecycle.ts';
import { askSecondFactor } from '../lifecycles/second-factor/lifecycle.ts';
import { importedPasskeyId } from '../people/passkeys/imported.ts';
import { nameOf } from '../people/passkeys/name.ts';
import { sealSecret, stepOfCode } from '../people/second-factor/secret.ts';
import { begunCodes, factorStores } from '../storage/factors.ts';
import {
  begunApps,
  begunPasskeys,
  type CredentialHolders,
  credentialKey,
  holdersOfCredentials,
} from '../storage/imported-ways.ts';
import { databaseClock } from '../system/clock.ts';
import type { ImportedPasskey } from './imported-passkey.ts';
import type { Placed, WayChanged, WaysDeps } from './placed-user.ts';

/** The stored facts for one batch: few statements for many end-users, most of whom bring none. */
export type StoredFactors = {
  readonly apps: ReadonlyMap<string, 'begun' | 'stored'>;
  readonly holders: CredentialHolders;
  readonly passkeys: ReadonlySet<string>;
};

export async function storedFactors({ db }: Pick<WaysDeps, 'db'>, placed: readonly Placed[]): Promise<StoredFactors> {
  const passkeys = placed.flatMap(({ id, sent }) => sent.passkeys.map((passkey) => ({ id, passkey })));
  return {
    apps: await begunApps(
      db,
      placed.flatMap(({ id, sent }) => sent.totpSecrets.map((_, place) => appId(id, place))),
    ),
    holders: await holdersOfCredentials(
      db,
      passkeys.map(({ passkey }) => passkey.credentialId),
    ),
    passkeys: await begunPasskeys(
      db,
      passkeys.map(({ id, passkey }) => passkeyId(id, passkey)),
    ),
  };
}

type Report = {
  readonly changed: Set<WayChanged>;
  /** The parts that could not be stored, with the reason. */
  readonly notes: string[];
};

/** @throws Unavailable, StoreUnavailable */
export async function placeFactors(
  deps: WaysDeps,
  one: Placed,
  stored: StoredFactors,
  { changed, notes }: Report,
): Promise<void> {
  const { id, isDisabled, sent } = one;
  for (const [place, secret] of sent.totpSecrets.entries()) {
    const factor = { id: appId(id, place), userId: id };
    const was = stored.apps.get(factor.id);
    if (was === 'begun') continue;
    if (isDisabled) {
      notes.push('authenticator app: the end-user is disabled already');
      continue;
    }
    await confirmApp(deps, factor, secret, was === 'stored');
    changed.add('authenticator_apps');
  }
  for (const passkey of sent.passkeys) {
    // Another holder has refused the whole record before.
    if (stored.holders.has(credentialKey(passkey.credentialId)) || stored.passkeys.has(passkeyId(id, passkey)))
      continue;
    const refused = await placePasskey(deps, one, passkey);
    if (refused === null) changed.add('passkeys');
    else notes.push(refused);
  }
  if (sent.recoveryCodes.length === 0) return;
  const refused = await placeCodes(deps, one);
  if (refused === null) changed.add('recovery_codes');
  else if (refused !== BEGUN) notes.push(refused);
}

/** The code that the app has shown half a minute ago is the proof for the machine that the secret is right. */
async function confirmApp(
  deps: WaysDeps,
  factor: { readonly id: string; readonly userId: string },
  secret: string,
  isStored: boolean,
): Promise<void> {
  const { secondFactors } = storesOf(deps);
  if (!isStored) await secondFactors.insertApp({ ...factor, sealedSecret: sealSecret(deps, factor, secret) });
  await askSecondFactor({ secondFactors, sleep }, factor, {
    type: 'confirmed',
    actor: deps.actor,
    stepOf: (stored, now) => stepOfCode(deps, earlierTotp(secret, now)).stepOf(stored, now),
  });
}

const PASSKEY_REFUSED: Readonly<Partial<Record<FactorRejectReason, string>>> = {
  user_ended: 'passkey: the end-user is disabled already',
  too_many_passkeys: 'passkey: the end-user has as many as there may be',
  passkey_is_registered: 'passkey: another end-user has it',
};

/** @returns null: it is stored. */
async function placePasskey(
  deps: WaysDeps,
  { id: userId, hasPassword }: Placed,
  passkey: ImportedPasskey,
): Promise<string | null> {
  // It would look like a way to sign in, and is none.
  if (passkey.isSecondFactorOnly && !hasPassword)
    return 'security key: it is a second factor only, and the end-user has no password here';
  const { credentialId, publicKey, counter, backupEligible, transports, createdAt } = passkey;
  const answer = await registerPasskey(
    { passkeys: storesOf(deps).passkeys, sleep },
    {
      id: passkeyId(userId, passkey),
      userId,
      name: nameOf(passkey.name),
      credentialId,
      publicKey,
      counter,
      backupEligible,
      transports,
      ...(createdAt && { createdAt }),
    },
    false,
    deps.actor,
  );
  if (answer.kind === 'accepted') return null;
  return PASSKEY_REFUSED[answer.reason] ?? `passkey: ${answer.reason}`;
}

/** The codes came with an earlier import, and may have been used or replaced since. */
const BEGUN = 'begun';

/** @returns null: they are stored. */
async function placeCodes(deps: WaysDeps, { id: userId, sent }: Placed): Promise<string | null> {
  const texts = [...new Set(sent.recoveryCodes.map(importedCodeText))];
  const hashes = texts.flatMap((text) => recoveryCodeHashes(deps.keys, userId, text));
  if (await begunCodes(deps.db, userId, hashes)) return BEGUN;
  const { secondFactors, recoveryCodes } = storesOf(deps);
  const { hasApp, hasPasskey } = await secondFactors.kindsOf(userId);
  if (!hasApp && !hasPasskey) return 'recovery codes: the end-user has no second factor here';
  const codes = texts.map((text) => ({ id: deps.random.uuid(), hash: storedCodeText(deps.keys, userId, text) }));
  return (await recoveryCodes.insert(userId, codes)) ? null : 'recovery codes: the end-user has others here';
}

const storesOf = ({ db, clock = databaseClock, macs }: WaysDeps) => factorStores(db, clock, macs);

const appId = (userId: string, place: number) => derivedId(['imported', 'authenticator app', userId, String(place)]);
const passkeyId = (userId: string, { credentialId, userHandle, isSecondFactorOnly }: ImportedPasskey): string =>
  importedPasskeyId({ userId, credentialId, userHandle, isSecondFactorOnly });
