/**
 * A signing key: unpublished → published → signing → retiring → retired. Of each algorithm one key signs, and at most one waits.
 *
 *                  the signer stopped            its time is over               its last token
 *                  (or none signs)               and a successor is ready       has expired
 *   ┌───────────┐     beginSigning     ┌─────────┐     stopSigning     ┌──────────┐    retire    ┌─────────┐
 *   │ published │ ───────────────────► │ signing │ ──────────────────► │ retiring │ ───────────► │ retired │
 *   └───────────┘                      └─────────┘   startSuccessor    └──────────┘              └─────────┘
 *         │        revocationRequested      │ startSuccessor                 │                        ▲
 *         └─────────────────────────────────┴────────────────────────────────┴────────────────────────┘
 *
 * `unpublished` is a fresh key in the memory of one node. It is stored as it is needed: as the first of its algorithm it signs at
 * once, as a successor it waits. Published, signing and retiring keys are in the JWKS and their signatures are good; a retired
 * key's are not. What ends a signer starts its successor in the same decision, so that there is never an algorithm without one.
 */
import { setup } from 'xstate';
import { signingKeyGuards } from './guards.ts';
import {
  effects,
  type Meta,
  retire,
  type SharedArm,
  type SigningKeyContext,
  type SigningKeyEvent,
} from './vocabulary.ts';

const retireRevoked = {
  target: 'retired',
  actions: retire('revocation_requested'),
  description: 'An operator revoked it: what it signed is not good any more.',
  meta: { spec: 'NIST SP 800-57 Part 1 §7.5' },
} as const satisfies SharedArm;

const stayForTheSigner = { description: 'Only the signer of the algorithm answers this.' } as const satisfies SharedArm;
const stayUnpublished = {
  description: 'The key is not stored, and not in the JWKS: there is nothing to move.',
} as const satisfies SharedArm;
const stayStored = { description: 'The key was stored before.' } as const satisfies SharedArm;
const stayRetired = {
  description: 'Retired for good.',
  meta: { spec: 'NIST SP 800-57 Part 1 §7.4' },
} as const satisfies SharedArm;

export const signingKeyMachine = setup({
  types: { context: {} as SigningKeyContext, events: {} as SigningKeyEvent, meta: {} as Meta },
  guards: signingKeyGuards,
  actions: effects,
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
            description: 'The first of its algorithm: no cache holds a JWKS that it could be missing from.',
          },
          { description: 'Another node was first: its key signs, and this one is dropped.' },
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
      description: 'In the JWKS ahead of its first signature, so that every cache holds it by then.',
      on: {
        noKeySigns: stayStored,
        successorNeeded: stayStored,
        timePassed: [
          {
            guard: 'noOtherSigns',
            target: 'signing',
            actions: 'beginSigning',
            description: 'Its algorithm has no signer, and needs one.',
          },
          { description: 'Another key signs; this one waits for it.' },
        ],
        rotationRequested: stayForTheSigner,
        revocationRequested: retireRevoked,
        signerStopped: {
          target: 'signing',
          actions: 'beginSigning',
          description: 'The signer stopped in this very moment.',
          meta: { spec: 'OpenID Connect Core §10.1.1' },
        },
      },
    },
    signing: {
      description: 'Signs every token of its algorithm. The only one that does.',
      meta: { spec: 'RFC 7515 §4.1.4, OpenID Connect Core §10.1' },
      on: {
        noKeySigns: stayStored,
        successorNeeded: stayStored,
        timePassed: [
          {
            guard: 'handoverIsDue',
            target: 'retiring',
            actions: ['stopSigning', 'startSuccessor'],
            description: 'Its time is over, and its successor has been published for long enough.',
            meta: { spec: 'OpenID Connect Core §10.1.1' },
          },
          {
            guard: 'endsWithoutSuccessor',
            target: 'retiring',
            actions: 'stopSigning',
            description: 'Its time is over, and the policy names its algorithm no longer.',
          },
          {
            guard: 'successorIsNeeded',
            actions: 'createSuccessor',
            description: 'Its time is nearly over: the next one is published while there is still time for caches.',
          },
          { description: 'It goes on signing, if need be past its time: there is always a signer.' },
        ],
        rotationRequested: [
          {
            guard: 'successorMaySign',
            target: 'retiring',
            actions: ['stopSigning', 'startSuccessor'],
            description: 'A successor waits that has been published for long enough, or need not be.',
            meta: { spec: 'OpenID Connect Core §10.1.1' },
          },
          {
            guard: 'rotationIsAtOnce',
            target: 'retiring',
            actions: ['createSuccessor', 'stopSigning', 'startSuccessor'],
            description: 'In an emergency a fresh key signs at once; caches find it by its unknown kid, or late.',
            meta: { spec: 'OpenID Connect Core §10.1.1' },
          },
          {
            guard: 'handoverIsComing',
            description: 'Asked for before: the successor waits for caches, and then takes over.',
          },
          {
            guard: 'successorIsPublished',
            actions: 'hastenHandover',
            description: 'The successor that waits takes over as soon as it has been published for long enough.',
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
            description: 'Revoked while it signs: the successor that waits signs at once.',
            meta: { spec: 'NIST SP 800-57 Part 1 §7.5' },
          },
          {
            target: 'retired',
            actions: ['createSuccessor', retire('revocation_requested'), 'startSuccessor'],
            description: 'Revoked while it signs, and no successor waits: a fresh key signs at once.',
            meta: { spec: 'NIST SP 800-57 Part 1 §7.5' },
          },
        ],
        signerStopped: { description: 'It is the signer itself.' },
      },
    },
    retiring: {
      description: 'Signs no more and has no private half; published until the last token that it signed has expired.',
      meta: { spec: 'OpenID Connect Core §10.1.1' },
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
      description: 'Out of the JWKS; its signatures are not accepted. Nothing leads out of here.',
      meta: { spec: 'NIST SP 800-57 Part 1 §7.4' },
      on: {
        noKeySigns: stayRetired,
        successorNeeded: stayRetired,
        timePassed: stayRetired,
        rotationRequested: stayRetired,
        revocationRequested: stayRetired,
        signerStopped: stayRetired,
      },
    },
  },
});
