/**
 * The set-up of the first operator: unissued → active → used → ended.
 *
 *   ┌──────────┐ requested      ┌────────┐ used                           ┌──────┐
 *   │ unissued │ ─────────────► │ active │ ─────────────────────────────► │ used │
 *   └──────────┘ (issueSetUp)   └────────┘ (useSetUp, registerOperator)   └──────┘
 *                                   │ replaced, operatorDeclared              │
 *                                   │ (endSetUp)             ┌───────┐        │
 *                                   └──────────────────────► │ ended │ ◄──────┘
 *                                                            └───────┘
 *
 * A link makes the first operator of a server that has none: one link at a time, for one use. The account and the use of the link are
 * one commit, so of two browsers one wins. While the row is `used`, its end-user administers. Then operators.yaml names an operator who may
 * sign in, and the right of this row ends for good: from then on the file alone says who administers.
 *
 * The account comes with a password (used), whose sign-in awaits a second factor, or with a passkey (usedWithPasskey, addPasskey).
 *
 * Opening a link is no event, as for links in mails: programs open links. The page has a button, and only that uses the link.
 *
 * As a picture or as JSON, whole: `npx statehouse diagram operator-set-up` (`--format json`).
 */
import { setup } from 'xstate';
import type { Meta, SharedArm } from '../shared/arm.ts';
import { reject } from '../shared/effects.ts';
import type { Answers, AtEveryEvent } from '../shared/events.ts';
import { endSetUp, operatorSetUpEffects } from './effects.ts';
import type { OperatorSetUpContext, OperatorSetUpEvent } from './facts.ts';
import { operatorSetUpGuards } from './guards.ts';

const operatorExists = {
  guard: 'operatorExists',
  actions: reject('operator_exists'),
  description: 'An operator may sign in: that operator makes others, and no link does.',
} as const satisfies SharedArm;

const replaced = {
  target: 'ended',
  actions: [endSetUp('replaced'), 'replaceOthers'],
  description: 'A newer link was issued.',
} as const satisfies SharedArm;

const operatorDeclared = [
  {
    guard: 'operatorIsDeclared',
    target: 'ended',
    actions: endSetUp('operator_declared'),
    description: 'operators.yaml names an operator who may sign in: the file says who administers from now on.',
  },
  { description: 'operators.yaml names no operator who may sign in: it stays as it is.' },
] as const satisfies readonly SharedArm[];

/** The others are asked in this order: an invalid link first, then what its user can correct. */
const useless = [
  { guard: 'expired', actions: reject('set_up_expired'), description: 'Too late.' },
  {
    guard: 'serverRecovered',
    actions: reject('server_recovered'),
    description: 'It is from before the restore of a backup.',
  },
  operatorExists,
  {
    guard: 'usernameIsNotExpected',
    actions: reject('username_not_expected'),
    description: 'The operator has another username, by operators.yaml or by the link; the link stays valid.',
  },
  {
    guard: 'usernameIsTaken',
    actions: reject('username_taken'),
    description: 'Another end-user has the chosen username; the link stays valid.',
  },
] as const satisfies readonly SharedArm[];

const unknown = {
  actions: reject('set_up_unknown'),
  description: 'The server issued no such link.',
} as const satisfies SharedArm;
const usedBefore = {
  actions: reject('set_up_used'),
  description: 'A second use makes no other operator.',
} as const satisfies SharedArm;
const invalid = {
  actions: reject('set_up_ended'),
  description: 'It was replaced, or an operator was declared.',
} as const satisfies SharedArm;

const notIssued = { description: 'Nothing was issued.' } as const satisfies SharedArm;
const issuedBefore = { description: 'It was issued before, and is not issued again.' } as const satisfies SharedArm;
const stayEnded = { description: 'It has ended already.' } as const satisfies SharedArm;

export const operatorSetUpMachine = setup({
  types: { context: {} as OperatorSetUpContext, events: {} as OperatorSetUpEvent, meta: {} as Meta },
  guards: operatorSetUpGuards as AtEveryEvent<typeof operatorSetUpGuards, OperatorSetUpContext, OperatorSetUpEvent>,
  actions: operatorSetUpEffects,
}).createMachine({
  id: 'operatorSetUp',
  context: {} as OperatorSetUpContext,
  initial: 'unissued',
  states: {
    unissued: {
      description: 'Nothing is stored, and no link exists.',
      on: {
        requested: [
          operatorExists,
          {
            target: 'active',
            actions: ['issueSetUp', 'replaceOthers'],
            description: 'The server has no operator: the link may make one.',
          },
        ],
        used: unknown,
        usedWithPasskey: unknown,
        replaced: notIssued,
        operatorDeclared: notIssued,
      },
    },
    active: {
      description: 'Shown to the owner of the server, and not used.',
      on: {
        requested: issuedBefore,
        used: [
          ...useless,
          {
            target: 'used',
            actions: ['useSetUp', 'registerOperator'],
            description: 'The account of the operator is made, with the use of the link.',
          },
        ],
        usedWithPasskey: [
          ...useless,
          {
            guard: 'passkeyIsRegistered',
            actions: reject('passkey_is_registered'),
            description: 'The passkey was registered before, for any end-user; the link stays valid.',
            meta: { spec: 'WebAuthn Level 3 §7.1' },
          },
          {
            target: 'used',
            actions: ['useSetUp', 'registerOperator', 'addPasskey'],
            description: 'The account of the operator is made, with a passkey and without a password.',
            meta: { spec: 'WebAuthn Level 3 §7.1' },
          },
        ],
        replaced,
        operatorDeclared,
      },
    },
    used: {
      description: 'Its end-user administers, as long as operators.yaml names no operator.',
      on: {
        requested: issuedBefore,
        used: usedBefore,
        usedWithPasskey: usedBefore,
        replaced: { ...replaced, description: 'Its end-user cannot sign in any more, and a newer link was issued.' },
        operatorDeclared,
      },
    },
    ended: {
      description: 'It makes no operator, and gives no right. No arm leads out of this state.',
      on: {
        requested: issuedBefore,
        used: invalid,
        usedWithPasskey: invalid,
        replaced: stayEnded,
        operatorDeclared: stayEnded,
      },
    },
  } as const satisfies Answers<typeof operatorSetUpGuards, OperatorSetUpEvent>,
});
