/**
 * A signing key: published → signing → retiring → retired. Of each algorithm one key signs, and at most one waits.
 *
 *                the signer stopped             its time is over               its last token
 *                (or none signs)                and a successor is ready       has expired
 *   ┌───────────┐     beginSigning     ┌─────────┐     stopSigning     ┌──────────┐    retire    ┌─────────┐
 *   │ published │ ───────────────────► │ signing │ ──────────────────► │ retiring │ ───────────► │ retired │
 *   └───────────┘                      └─────────┘   startSuccessor    └──────────┘              └─────────┘
 *         │        revocationRequested      │ startSuccessor                 │                        ▲
 *         └─────────────────────────────────┴────────────────────────────────┴────────────────────────┘
 *
 * Published, signing and retiring keys are in the JWKS and their signatures are good; a retired key's are not. What ends a
 * signer starts its successor in the same decision, so that nobody finds none that signs.
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

const stayForTheSigner = {
  description: 'It is for the signer of the algorithm to answer this.',
  meta: { spec: 'OpenID Connect Core §10.1.1' },
} as const satisfies SharedArm;

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
  initial: 'published',
  states: {
    published: {
      description: 'In the JWKS ahead of its first signature, so that every cache holds it by then.',
      meta: { spec: 'OpenID Connect Core §10.1.1' },
      on: {
        timePassed: [
          {
            guard: 'noOtherSigns',
            target: 'signing',
            actions: 'beginSigning',
            description: 'The first of its algorithm: nobody has cached anything that it could be missing from.',
            meta: { spec: 'OpenID Connect Core §10.1.1' },
          },
          {
            description: 'Another one signs; this one waits for it.',
            meta: { spec: 'OpenID Connect Core §10.1.1' },
          },
        ],
        rotationRequested: stayForTheSigner,
        revocationRequested: retireRevoked,
        signerStopped: {
          target: 'signing',
          actions: 'beginSigning',
          description: 'Its turn: the signer stopped in this very moment.',
          meta: { spec: 'OpenID Connect Core §10.1.1' },
        },
      },
    },
    signing: {
      description: 'Signs every token of its algorithm. The only one that does.',
      meta: { spec: 'RFC 7515 §4.1.4, OpenID Connect Core §10.1' },
      on: {
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
            meta: { spec: 'OpenID Connect Core §10.1.1' },
          },
          {
            guard: 'successorIsNeeded',
            actions: 'publishSuccessor',
            description: 'Its time is nearly over: the next one is published while there is still time for caches.',
            meta: { spec: 'OpenID Connect Core §10.1.1' },
          },
          {
            description: 'It goes on signing, if need be past its time: never none.',
            meta: { spec: 'OpenID Connect Core §10.1.1' },
          },
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
            actions: ['stopSigning', 'publishSuccessor', 'startSuccessor'],
            description: 'In an emergency a fresh key signs at once; caches find it by its unknown kid, or late.',
            meta: { spec: 'OpenID Connect Core §10.1.1' },
          },
          {
            guard: 'handoverIsComing',
            description: 'Asked for before: the successor waits for caches, and then takes over.',
            meta: { spec: 'OpenID Connect Core §10.1.1' },
          },
          {
            guard: 'successorIsPublished',
            actions: 'hastenHandover',
            description: 'The successor that waits takes over as soon as it has been published for long enough.',
            meta: { spec: 'OpenID Connect Core §10.1.1' },
          },
          {
            actions: ['publishSuccessor', 'hastenHandover'],
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
            actions: [retire('revocation_requested'), 'publishSuccessor', 'startSuccessor'],
            description: 'Revoked while it signs, and nobody waits: a fresh key signs at once.',
            meta: { spec: 'NIST SP 800-57 Part 1 §7.5' },
          },
        ],
        signerStopped: {
          description: 'It is the signer itself.',
          meta: { spec: 'OpenID Connect Core §10.1.1' },
        },
      },
    },
    retiring: {
      description: 'Signs no more and has no private half; published until the last token that it signed has expired.',
      meta: { spec: 'OpenID Connect Core §10.1.1' },
      on: {
        timePassed: [
          {
            guard: 'lastTokenHasExpired',
            target: 'retired',
            actions: retire('tokens_expired'),
            description: 'Nothing that it signed is of use any more.',
            meta: { spec: 'OpenID Connect Core §10.1.1' },
          },
          {
            description: 'Tokens that it signed are still about.',
            meta: { spec: 'OpenID Connect Core §10.1.1' },
          },
        ],
        rotationRequested: stayForTheSigner,
        revocationRequested: retireRevoked,
        signerStopped: {
          description: 'It has no private half to sign with.',
          meta: { spec: 'OpenID Connect Core §10.1.1' },
        },
      },
    },
    retired: {
      description: 'Out of the JWKS; its signatures are not accepted. Nothing leads out of here.',
      meta: { spec: 'NIST SP 800-57 Part 1 §7.4' },
      on: {
        timePassed: stayRetired,
        rotationRequested: stayRetired,
        revocationRequested: stayRetired,
        signerStopped: stayRetired,
      },
    },
  },
});
