/**
 * The trusted browser, whose secret stands in for the second factor after the right password: requested → active → ended.
 *
 *   ┌───────────┐ factorProven             ┌────────┐
 *   │ requested │ (trustBrowser, accept)   │ active │ presented, in time: skipFactor, accept
 *   └───────────┘ ───────────────────────► └────────┘
 *                                              │ ended by the end-user or an administrator, trusted again, or a factor
 *                                              │ was added or removed (endTrust)
 *                    ┌───────┐                 │ user disabled, new password, server recovered (raiseEpoch)
 *                    │ ended │ ◄───────────────┘
 *                    └───────┘
 *
 * It is no factor: a sign-in with it has shown a password alone, and says so (`amr`). So it never counts where several factors are
 * demanded: by a client, of an administrator, or for a change of factors. The server stores the hash of the secret, and drops it with the
 * end.
 *
 * As a picture or as JSON, whole: `npx statehouse diagram trusted-browser` (`--format json`).
 */
import { setup } from 'xstate';
import type { Meta, SharedArm } from '../shared/arm.ts';
import { raiseEpoch, reject } from '../shared/effects.ts';
import type { Answers, AtEveryEvent } from '../shared/events.ts';
import { endTrust, trustedBrowserEffects } from './effects.ts';
import type { TrustedBrowserContext, TrustedBrowserEvent } from './facts.ts';
import { trustedBrowserGuards } from './guards.ts';

const stayRequested = { description: 'Nothing is stored of it.' } as const satisfies SharedArm;

const stayEnded = { description: 'It has ended already: its row stays as it is.' } as const satisfies SharedArm;

const factorIsGone = {
  guard: 'factorIsGone',
  actions: reject('factor_removed'),
  description: 'The factor that was proven is no active one: it was removed, or was a recovery code.',
  meta: { spec: 'NIST SP 800-63B-4 §4.3' },
} as const satisfies SharedArm;

const proofIsDemanded = {
  guard: 'proofIsDemanded',
  actions: reject('proof_is_demanded'),
  description: 'The client demands several factors, or the end-user is an administrator: a factor is proven.',
  meta: { spec: 'RFC 9470 §5' },
} as const satisfies SharedArm;

/** Why a browser whose trust has ended is not trusted. */
const whyEnded = [
  {
    guard: 'endedByUser',
    actions: reject('user_ended'),
    description: 'The end-user was disabled, or got a new password, after the browser was trusted.',
  },
  {
    guard: 'endedByServer',
    actions: reject('server_epoch_raised'),
    description: 'The operator ended the trust of every browser.',
  },
  { actions: reject('trust_ended'), description: 'Its trust has ended.' },
] as const satisfies readonly SharedArm[];

/** The arms that end the trust of a browser. */
const endings = {
  endRequested: {
    target: 'ended',
    actions: endTrust('ended_by_user'),
    description: 'The end-user ended it from the list of trusted browsers.',
  },
  endRequestedByAdministrator: {
    target: 'ended',
    actions: endTrust('ended_by_administrator'),
    description: 'An administrator ended it.',
  },
  factorsChanged: {
    target: 'ended',
    actions: endTrust('factors_changed'),
    description: 'A factor was added or removed: each browser proves a factor again.',
    meta: { spec: 'NIST SP 800-63B-4 §4.3' },
  },
  trustedAgain: {
    target: 'ended',
    actions: endTrust('trusted_again'),
    description: 'The same browser got another secret: the old secret is invalid.',
  },
  userDisabled: {
    target: 'ended',
    actions: raiseEpoch('user'),
    description: 'The end-user was disabled.',
  },
  passwordChanged: {
    target: 'ended',
    actions: raiseEpoch('user'),
    description: 'The end-user got a new password: a thief may have signed in with the old one.',
  },
  serverRecovered: {
    target: 'ended',
    actions: raiseEpoch('server'),
    description: 'The operator ended all trust, as after restoring a backup.',
  },
} as const satisfies Readonly<Record<string, SharedArm>>;

export const trustedBrowserMachine = setup({
  types: { context: {} as TrustedBrowserContext, events: {} as TrustedBrowserEvent, meta: {} as Meta },
  guards: trustedBrowserGuards as AtEveryEvent<typeof trustedBrowserGuards, TrustedBrowserContext, TrustedBrowserEvent>,
  actions: trustedBrowserEffects,
}).createMachine({
  id: 'trustedBrowser',
  context: {} as TrustedBrowserContext,
  initial: 'requested',
  states: {
    requested: {
      description: 'The end-user asked to trust this browser, and nothing is stored of it.',
      on: {
        factorProven: [
          {
            guard: 'timeIsOver',
            actions: reject('trust_not_offered'),
            description: 'The policy offers no trust.',
          },
          factorIsGone,
          proofIsDemanded,
          {
            target: 'active',
            actions: ['trustBrowser', 'accept'],
            description: 'The factor was proven in this browser: the next sign-ins in it ask for the password alone.',
            meta: { spec: 'NIST SP 800-63B-4 §3.1.4' },
          },
        ],
        presented: { actions: reject('trust_unknown'), description: 'No browser has this secret yet.' },
        endRequested: stayRequested,
        endRequestedByAdministrator: stayRequested,
        factorsChanged: stayRequested,
        trustedAgain: stayRequested,
        userDisabled: stayRequested,
        passwordChanged: stayRequested,
        serverRecovered: stayRequested,
      },
    },
    active: {
      description: 'Trusted: after the right password, its secret stands in for the second factor.',
      on: {
        factorProven: { actions: reject('trust_unknown'), description: 'It is trusted already, by another secret.' },
        presented: [
          {
            guard: 'timeIsOver',
            actions: reject('trust_expired'),
            description: 'It has expired, perhaps under a shorter lifetime of the current policy.',
          },
          factorIsGone,
          proofIsDemanded,
          {
            actions: ['skipFactor', 'accept'],
            description: 'In time, after the right password: this sign-in asks for no second factor.',
          },
        ],
        ...endings,
      },
    },
    ended: {
      description: 'Ended for good. No arm leads out of this state.',
      on: {
        factorProven: whyEnded,
        presented: whyEnded,
        endRequested: stayEnded,
        endRequestedByAdministrator: stayEnded,
        factorsChanged: stayEnded,
        trustedAgain: stayEnded,
        userDisabled: stayEnded,
        passwordChanged: stayEnded,
        serverRecovered: stayEnded,
      },
    },
  } as const satisfies Answers<typeof trustedBrowserGuards, TrustedBrowserEvent>,
});
