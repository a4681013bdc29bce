/**
 * A signing key: unpublished → published → signing → retiring → retired. For each algorithm one key signs and at most one waits.
 *
 *                  the signer stopped            its time is over               its last token
 *                  (or none signs)               and a successor is ready       has expired
 *   ┌───────────┐     beginSigning     ┌─────────┐     stopSigning     ┌──────────┐    retire    ┌─────────┐
 *   │ published │ ───────────────────► │ signing │ ──────────────────► │ retiring │ ───────────► │ retired │
 *   └───────────┘                      └─────────┘   startSuccessor    └──────────┘              └─────────┘
 *         │        revocationRequested      │ startSuccessor                 │                        ▲
 *         └─────────────────────────────────┴────────────────────────────────┴────────────────────────┘
 *
 * `unpublished` is a fresh key in the memory of a node. The first key of an algorithm signs as soon as it is stored; a successor
 * waits, except in an emergency. Published, signing and retiring keys are in the JWKS and their signatures are accepted; those of a retired key are not.
 * The decision that ends a signer also starts its successor, so that an algorithm which the policy names is never without
 * a signer. When the policy drops an algorithm, its last key stops and no other key starts.
 *
 * As a picture or as JSON, whole: `npx statehouse diagram signing-key` (`--format json`).
 */
import { setup } from 'xstate';
import type { Meta, SharedArm } from '../shared/arm.ts';
import type { Answers, AtEveryEvent } from '../shared/events.ts';
import { retire, signingKeyEffects } from './effects.ts';
import type { SigningKeyContext, SigningKeyEvent } from './facts.ts';
import { signingKeyGuards } from './guards.ts';

const retireRevoked = {
  target: 'retired',
  actions: retire('revocation_requested'),
  description: 'An operator revoked it: its signatures are no longer accepted.',
  meta: { spec: 'NIST SP 800-57 Part 1 §7.5' },
} as const satisfies SharedArm;

const stayForTheSigner = { description: 'This event is for the signer of the algorithm.' } as const satisfies SharedArm;
const stayUnpublished = {
  description: 'The key is neither stored nor in the JWKS.',
} as const satisfies SharedArm;
const stayStored = { description: 'The key is stored already.' } as const satisfies SharedArm;
const stayRetired = {
  description: 'Retired for good.',
  meta: { spec: 'NIST SP 800-57 Part 1 §7.6' },
} as const satisfies SharedArm;

export const signingKeyMachine = setup({
  types: { context: {} as SigningKeyContext, events: {} as SigningKeyEvent, meta: {} as Meta },
  guards: signingKeyGuards as AtEveryEvent<typeof signingKeyGuards, SigningKeyContext, SigningKeyEvent>,
  actions: signingKeyEffects,
}).createMachine({
  id: 'signingKey',
  context: {} as SigningKeyContext,
  initial: 'unpublished',
  states: {
    unpublished: {
      description: 'Fresh, in the memory of the node that created it.',
      on: {
        noKeySigns: [
          {
            guard: 'noOtherSigns',
            target: 'signing',
            actions: ['publish', 'beginSigning'],
            description: 'The first key of its algorithm signs immediately: no other key signs.',
          },
          { description: 'Another node was first: its key signs, and this key is dropped.' },
        ],
        successorNeeded: {
          target: 'published',
          actions: 'publish',
          description: 'Published while there is time for caches to fetch it.',
        },
        timePassed: stayUnpublished,
        rotationRequested: stayUnpublished,
        revocationRequested: stayUnpublished,
        signerStopped: stayUnpublished,
      },
    },
    published: {
      description:
        'In the JWKS ahead of its first signature, so that every cache holds it by then, except in an emergency.',
      on: {
        noKeySigns: stayStored,
        successorNeeded: stayStored,
        timePassed: [
          {
            guard: 'noOtherSigns',
            target: 'signing',
            actions: 'beginSigning',
            description: 'Its algorithm has no signer.',
          },
          { description: 'Another key signs; this key waits.' },
        ],
        rotationRequested: stayForTheSigner,
        revocationRequested: retireRevoked,
        signerStopped: {
          target: 'signing',
          actions: 'beginSigning',
          description: 'The signer stopped in the same decision.',
          meta: { spec: 'OpenID Connect Core §10.1.1' },
        },
      },
    },
    signing: {
      description: 'The only key that signs with its algorithm.',
      meta: { spec: 'RFC 7515 §4.1.4, OpenID Connect Core §10.1' },
      on: {
        noKeySigns: stayStored,
        successorNeeded: stayStored,
        timePassed: [
          {
            guard: 'handoverIsDue',
            target: 'retiring',
            actions: ['stopSigning', 'startSuccessor'],
            description: 'Its time has ended, and its successor has been published for long enough.',
            meta: { spec: 'OpenID Connect Core §10.1.1' },
          },
          {
            guard: 'endsWithoutSuccessor',
            target: 'retiring',
            actions: 'stopSigning',
            description: 'Its time has ended, and the policy no longer names its algorithm.',
          },
          {
            guard: 'successorIsNeeded',
            actions: 'createSuccessor',
            description: 'Its time is nearly over: a successor is published while caches still have time to fetch it.',
          },
          {
            description:
              'The key signs, past its time if it must, until a successor is ready or the policy drops its algorithm.',
          },
        ],
        rotationRequested: [
          {
            guard: 'successorMaySign',
            target: 'retiring',
            actions: ['stopSigning', 'startSuccessor'],
            description:
              'The waiting successor has been published for long enough, or the operator does not want to wait.',
            meta: { spec: 'OpenID Connect Core §10.1.1' },
          },
          {
            guard: 'rotationIsAtOnce',
            target: 'retiring',
            actions: ['createSuccessor', 'stopSigning', 'startSuccessor'],
            description:
              'In an emergency a fresh key signs immediately; caches fetch it when they see its unknown kid, or when they expire.',
            meta: { spec: 'OpenID Connect Core §10.1.1' },
          },
          {
            guard: 'handoverIsComing',
            description:
              'The handover is due already: the successor takes over as soon as it has been published for long enough.',
          },
          {
            guard: 'successorIsPublished',
            actions: 'hastenHandover',
            description: 'The waiting successor takes over as soon as it has been published for long enough.',
            meta: { spec: 'OpenID Connect Core §10.1.1' },
          },
          {
            actions: ['createSuccessor', 'hastenHandover'],
            description: 'A successor is published now, and takes over as soon as caches hold it.',
            meta: { spec: 'OpenID Connect Core §10.1.1' },
          },
        ],
        revocationRequested: [
          {
            guard: 'successorIsPublished',
            target: 'retired',
            actions: [retire('revocation_requested'), 'startSuccessor'],
            description: 'Revoked while it signs: the waiting successor signs immediately.',
            meta: { spec: 'NIST SP 800-57 Part 1 §7.5' },
          },
          {
            target: 'retired',
            actions: ['createSuccessor', retire('revocation_requested'), 'startSuccessor'],
            description: 'Revoked while it signs, and no successor waits: a fresh key signs immediately.',
            meta: { spec: 'NIST SP 800-57 Part 1 §7.5' },
          },
        ],
        signerStopped: { description: 'It is itself the signer.' },
      },
    },
    retiring: {
      description:
        'No longer signs, and its private half is erased; published until the last token that it signed has expired.',
      meta: { spec: 'OpenID Connect Core §10.1.1, NIST SP 800-57 Part 1 §7.4' },
      on: {
        noKeySigns: stayStored,
        successorNeeded: stayStored,
        timePassed: [
          {
            guard: 'lastTokenHasExpired',
            target: 'retired',
            actions: retire('tokens_expired'),
            description: 'Every token that it signed has expired.',
            meta: { spec: 'OpenID Connect Core §10.1.1' },
          },
          {
            description: 'Tokens that it signed may still be presented.',
            meta: { spec: 'OpenID Connect Core §10.1.1' },
          },
        ],
        rotationRequested: stayForTheSigner,
        revocationRequested: retireRevoked,
        signerStopped: { description: 'It has no private half to sign with.' },
      },
    },
    retired: {
      description: 'Out of the JWKS; its signatures are not accepted. No arm leads out of this state.',
      meta: { spec: 'NIST SP 800-57 Part 1 §7.6' },
      on: {
        noKeySigns: stayRetired,
        successorNeeded: stayRetired,
        timePassed: stayRetired,
        rotationRequested: stayRetired,
        revocationRequested: stayRetired,
        signerStopped: stayRetired,
      },
    },
  } as const satisfies Answers<typeof signingKeyGuards, SigningKeyEvent>,
});
