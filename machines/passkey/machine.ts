/**
 * The passkey, a key pair of the end-user whose signatures name this site (WebAuthn): unregistered → active → removed.
 *
 *   ┌──────────────┐ registered          ┌────────┐ removed by the end-user or an administrator, or lost ┌─────────┐
 *   │ unregistered │ ──────────────────► │ active │ ───────────────────────────────────────────────────► │ removed │
 *   └──────────────┘ (registerPasskey)   └────────┘ (removeFactor)                                       └─────────┘
 *                                          presented: recordSignature, accept; renamed: renamePasskey
 *
 * A session is stored only while the passkey of its sign-in is active, in the same statement. So a removed passkey never signs in
 * again.
 *
 * As a picture or as JSON, whole: `npx statehouse diagram passkey` (`--format json`).
 */
import { setup } from 'xstate';
import type { Meta, SharedArm } from '../shared/arm.ts';
import { reject } from '../shared/effects.ts';
import type { Answers, AtEveryEvent } from '../shared/events.ts';
import { rejectEndedUser, rejectRemovalByUser, removeLost, stayRemoved } from '../shared/factor-removal.ts';
import { passkeyEffects } from './effects.ts';
import type { PasskeyContext, PasskeyEvent } from './facts.ts';
import { passkeyGuards } from './guards.ts';

const remove = {
  target: 'removed',
  actions: 'removeFactor',
  description: 'Removed, and its public key dropped.',
  meta: { spec: 'NIST SP 800-63B-4 §4.3' },
} as const satisfies SharedArm;

const rejectLastWay = {
  guard: 'isLastWay',
  actions: reject('last_way_to_sign_in'),
  description: 'The end-user has no password, no other passkey and no linked identity: they could no longer sign in.',
} as const satisfies SharedArm;

const rejectUnregistered = {
  actions: reject('passkey_unknown'),
  description: 'It is not registered here.',
  meta: { spec: 'WebAuthn Level 3 §7.2' },
} as const satisfies SharedArm;

const stayUnregistered = { description: 'Nothing is stored of it.' } as const satisfies SharedArm;

export const passkeyMachine = setup({
  types: { context: {} as PasskeyContext, events: {} as PasskeyEvent, meta: {} as Meta },
  guards: passkeyGuards as AtEveryEvent<typeof passkeyGuards, PasskeyContext, PasskeyEvent>,
  actions: passkeyEffects,
}).createMachine({
  id: 'passkey',
  context: {} as PasskeyContext,
  initial: 'unregistered',
  states: {
    unregistered: {
      description: 'The authenticator made a key pair for this site and this end-user, and nothing is stored of it.',
      meta: { spec: 'WebAuthn Level 3 §7.1' },
      on: {
        registered: [
          rejectEndedUser,
          {
            guard: 'anotherHasToBeProven',
            actions: reject('factor_not_proven'),
            description: 'A password alone adds no factor where there is a factor: that is proven first.',
            meta: { spec: 'NIST SP 800-63B-4 §4.1.2' },
          },
          {
            guard: 'passkeysAreFull',
            actions: reject('too_many_passkeys'),
            description: 'The end-user has as many as there may be, and removes one first.',
          },
          {
            target: 'active',
            actions: ['registerPasskey', 'accept'],
            description: 'The end-user may sign in with it from now on.',
            meta: { spec: 'WebAuthn Level 3 §7.1' },
          },
        ],
        presented: rejectUnregistered,
        renamed: stayUnregistered,
        removalRequested: stayUnregistered,
        removalRequestedByAdministrator: stayUnregistered,
        lost: stayUnregistered,
      },
    },
    active: {
      description: 'Registered: the end-user may sign in with it.',
      meta: { spec: 'WebAuthn Level 3 §7.1' },
      on: {
        presented: [
          rejectEndedUser,
          {
            guard: 'signatureDiffers',
            actions: reject('signature_mismatch'),
            description: 'The signature is not of this passkey, for this site and for the challenge of this browser.',
            meta: { spec: 'WebAuthn Level 3 §7.2' },
          },
          {
            guard: 'counterFellBack',
            actions: reject('signature_counter_fell_back'),
            description: 'The signature counter did not rise: there may be a copy of the passkey.',
            meta: { spec: 'WebAuthn Level 3 §6.1.1, §7.2' },
          },
          {
            actions: ['recordSignature', 'accept'],
            description: 'The signature is right, and newer than every signature before.',
            meta: { spec: 'WebAuthn Level 3 §7.2' },
          },
        ],
        registered: { actions: reject('passkey_is_registered'), description: 'It was registered before.' },
        renamed: { actions: 'renamePasskey', description: 'The end-user gave it another name.' },
        removalRequested: [...rejectRemovalByUser, rejectLastWay, remove],
        removalRequestedByAdministrator: remove,
        lost: removeLost,
      },
    },
    removed: {
      description: 'Removed for good. No arm leads out of this state.',
      meta: { spec: 'NIST SP 800-63B-4 §4.3' },
      on: {
        registered: { actions: reject('passkey_is_registered'), description: 'It was registered before, and removed.' },
        presented: {
          actions: reject('factor_removed'),
          description: 'It was removed, and never signs in again.',
          meta: { spec: 'NIST SP 800-63B-4 §4.3' },
        },
        renamed: stayRemoved,
        removalRequested: stayRemoved,
        removalRequestedByAdministrator: stayRemoved,
        lost: stayRemoved,
      },
    },
  } as const satisfies Answers<typeof passkeyGuards, PasskeyEvent>,
});
