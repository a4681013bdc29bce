/**
 * Each scenario of people can fail: with one arm or guard broken on purpose, its outcome differs. Where the server rejects
 * in a second place too, the scenario has the expected outcome, and the table names the place. Then the model check detects it
 * (test/unit/review/mutation.test.ts).
 */
import { basename } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type AnyStateMachine, createMachine } from 'xstate';
import { changeUser, supersedeLink } from '../../../../machines/email-challenge/effects.ts';
import { RUNNING } from '../../../../machines/running.ts';
import { InvariantViolation, Unavailable } from '../../../../src/engine/errors.ts';
import { shippedScenarios } from '../../../../src/review/simulation/pages.ts';
import { play } from '../../../../src/review/simulation/play.ts';
import { failuresOf } from '../../../../src/review/simulation/report.ts';
import { openStages, type Stages } from '../../../../src/review/simulation/server/stages.ts';
import { anyDatabase, openTestDatabase } from '../../../support/database.ts';
import { effects } from '../../../support/effects.ts';

type Breaking = (machine: AnyStateMachine) => AnyStateMachine;
type Arms = Record<string, unknown>;

/** The guards never hold. */
const without =
  (...guards: readonly string[]): Breaking =>
  (machine) =>
    machine.provide({ guards: Object.fromEntries(guards.map((guard) => [guard, () => false])) });

/** In this state, the event has this one arm. */
const answering =
  (state: string, event: string, arm: object): Breaking =>
  (machine) => {
    const states = machine.config.states as Readonly<Record<string, { readonly on: Arms }>>;
    const changed = { ...states, [state]: { ...states[state], on: { ...states[state]?.on, [event]: arm } } };
    return createMachine({ ...machine.config, states: changed } as never).provide({
      guards: machine.implementations.guards as never,
      actions: effects as never,
    });
  };

type Broken = readonly [machine: string, says: string, breaking: Breaking, alsoRefusedBy?: string];

/** By file: the broken part, and how. */
const BROKEN: Readonly<Record<string, readonly Broken[]>> = {
  '46-code-by-mail.yaml': [
    ['signInCode', 'a code signs in another browser', without('fromAnotherBrowser')],
    ['signInCode', 'a code signs in twice', answering('used', 'presented', { actions: 'accept' })],
    ['signInCode', 'an older code signs in', answering('superseded', 'presented', { actions: 'accept' })],
    ['signInCode', 'a code lasts for ever', without('expired')],
  ],
  '47-thief-of-the-mailbox.yaml': [['session', 'a code by mail signs in alone', without('factorIsMissing')]],
  '18-stolen-password.yaml': [
    ['session', 'a password alone signs in', without('factorIsMissing')],
    [
      'session',
      'a session that awaits a factor is admitted',
      answering('awaitingSecondFactor', 'used', { actions: 'admit' }),
    ],
    ['session', 'a session waits for ever', without('waitedTooLong')],
    ['secondFactor', 'a password alone adds an app', without('anotherHasToBeProven'), 'the page of the factor'],
  ],
  '19-code-seen-over-the-shoulder.yaml': [
    ['secondFactor', 'a code is accepted twice', without('codeWasUsed')],
    ['secondFactor', 'the step of a code is not written down', answering('active', 'presented', { actions: 'accept' })],
  ],
  '20-old-recovery-code.yaml': [
    ['recoveryCode', 'a code is accepted twice', answering('used', 'presented', { actions: 'accept' })],
    ['recoveryCode', 'an older code is accepted', answering('replaced', 'presented', { actions: 'accept' })],
    ['recoveryCode', 'newer codes replace none', answering('active', 'newCodesRequested', {})],
  ],
  '21-removed-passkey.yaml': [
    [
      'passkey',
      'a removed passkey signs in',
      answering('removed', 'presented', { actions: 'accept' }),
      'the insertion of a session, whose factor has to stand',
    ],
    ['passkey', 'a removal changes nothing', answering('active', 'removalRequested', {})],
    ['passkey', 'a password alone removes a passkey', without('byPasswordAlone')],
  ],
  '22-copied-passkey.yaml': [['passkey', 'a counter may fall back', without('counterFellBack')]],
  '23-stolen-cookie-and-new-password.yaml': [
    [
      'user',
      'a new password ends nothing',
      answering('enabled', 'passwordChangeRequested', { actions: 'replacePassword' }),
    ],
    ['session', 'a session that has ended is admitted', answering('ended', 'used', { actions: 'admit' })],
  ],
  '24-cookie-before-the-second-factor.yaml': [
    [
      'session',
      'a session that awaits a factor is admitted',
      answering('awaitingSecondFactor', 'used', { actions: 'admit' }),
    ],
  ],
  '25-removed-app.yaml': [
    [
      'secondFactor',
      'a removed app is accepted',
      answering('removed', 'presented', { actions: 'accept' }),
      'the list of apps that a code is tried with',
    ],
    ['secondFactor', 'a removal changes nothing', answering('active', 'removalRequested', {})],
  ],
  '26-ended-session-approves-nothing.yaml': [
    ['session', 'an end from the list changes nothing', answering('active', 'endRequested', {})],
    ['session', 'a session that has ended is admitted', answering('ended', 'used', { actions: 'admit' })],
  ],
  '27-deleted-account-old-cookie.yaml': [
    ['user', 'a deletion changes nothing', answering('enabled', 'deletionRequested', {})],
  ],
  '28-signed-out.yaml': [
    ['session', 'a sign-out changes nothing', answering('active', 'signOutRequested', {})],
    ['session', 'a session never idles', without('idle')],
  ],
  '29-everyone-has-a-second-factor.yaml': [
    ['session', 'a password alone signs in', without('factorIsMissing')],
    ['secondFactor', 'the last factor is removed', without('isDemanded')],
    ['secondFactor', 'a password alone adds an app', without('anotherHasToBeProven'), 'the page of the factor'],
  ],
  '30-removed-identity.yaml': [
    ['linkedIdentity', 'a removal changes nothing', answering('active', 'removalRequested', {})],
  ],
  '31-answer-used-again.yaml': [
    ['externalSignIn', 'an answer comes back in any browser', without('fromAnotherBrowser')],
    [
      'externalSignIn',
      'an answer is used twice',
      (machine) => answering('used', 'answerReceived', { actions: 'recordAnswer', target: 'answered' })(machine),
    ],
  ],
  '32-sign-in-of-a-thief.yaml': [
    ['externalSignIn', 'an answer comes back in any browser', without('fromAnotherBrowser')],
  ],
  '34-planted-cookie.yaml': [
    ['session', 'a new sign-in replaces nothing', answering('awaitingSecondFactor', 'signedInAgain', {})],
  ],
  '35-disabled-and-enabled-again.yaml': [
    [
      'user',
      'disabling ends nothing',
      answering('enabled', 'disableRequested', { target: 'disabled', actions: 'disableUser' }),
    ],
    ['passkey', 'a passkey needs no user', without('userEnded')],
    ['externalSignIn', 'an answer needs no user', without('userEnded')],
  ],
  '36-two-factors-asked-for.yaml': [
    ['interaction', 'a client gets less than it asks for', without('levelIsMissing', 'factorIsNext')],
    ['session', 'an end from the list changes nothing', answering('active', 'endRequested', {})],
  ],
  '37-reset-link-used-twice.yaml': [
    ['user', 'a reset ends nothing', answering('enabled', 'passwordReset', { actions: 'replacePassword' })],
    [
      'emailChallenge',
      'a link is used twice',
      answering('used', 'used', { actions: ['useLink', changeUser('passwordReset')] }),
      'the page of the link',
    ],
  ],
  '38-older-link-after-newer.yaml': [
    [
      'emailChallenge',
      'a newer link ends the older',
      answering('active', 'overtaken', { target: 'superseded', actions: supersedeLink('newer_link_sent') }),
    ],
    [
      'emailChallenge',
      'a used link ends no other',
      answering('active', 'used', { target: 'used', actions: ['useLink', changeUser('passwordReset')] }),
    ],
  ],
  '39-link-after-its-end.yaml': [
    ['emailChallenge', 'a link never ends', without('expired'), 'the page of the link'],
    ['emailChallenge', 'a link outlives a new password', without('passwordChanged')],
  ],
  '40-link-asked-for-by-a-thief.yaml': [
    [
      'emailChallenge',
      'to ask is enough',
      answering('unsent', 'requested', { target: 'active', actions: ['sendLink', changeUser('factorsLost')] }),
    ],
  ],
  '41-change-of-address-undone.yaml': [
    ['emailChallenge', 'an undo ends no later link', answering('active', 'undone', {})],
    ['user', 'an undo ends no session', answering('enabled', 'addressRestored', { actions: 'writeAddress' })],
  ],
  '42-factors-said-to-be-lost.yaml': [
    ['emailChallenge', 'the mailbox alone removes factors', without('passwordIsMissing')],
    ['emailChallenge', 'a password from the mailbox removes factors', without('passwordIsFromMail')],
  ],
  '33-link-after-sign-out.yaml': [['externalSignIn', 'no session is needed', without('notAdmitted')]],
  '43-passkey-after-the-password.yaml': [
    ['session', 'a password alone signs in', without('factorIsMissing')],
    [
      'session',
      'a session that awaits a factor is admitted',
      answering('awaitingSecondFactor', 'used', { actions: 'admit' }),
    ],
  ],
  '44-trusted-browser.yaml': [
    ['session', 'a password alone signs in', without('factorIsMissing')],
    [
      'trustedBrowser',
      'an ended trust is used',
      answering('active', 'endRequested', { description: 'It stays trusted.' }),
    ],
  ],
  '45-trust-ends-with-the-password.yaml': [
    ['trustedBrowser', 'a browser is trusted after its time', without('timeIsOver')],
    ['session', 'a password alone signs in', without('factorIsMissing')],
  ],
  '48-pushed-request.yaml': [
    ['pushedRequest', 'a used request opens', answering('used', 'opened', { actions: 'openRequest' })],
    ['pushedRequest', 'a request opens for ever', without('expired')],
    [
      'pushedRequest',
      'an answer leaves the request open',
      answering('pushed', 'answered', { actions: 'spendRequest' }),
    ],
  ],
};

const people = shippedScenarios().filter(({ rounds }) =>
  rounds.some(({ beats }) => beats.some(({ act }) => act?.action.kind === 'act' && act.actor.place !== null)),
);

/** Every decision of this machine is the broken one's. @returns whether it was asked. */
function breakMachine(id: string, breaking: Breaking): () => boolean {
  const machine = Object.values(RUNNING).find((one) => one.id === id) as AnyStateMachine;
  const broken = breaking(machine);
  const spy = vi
    .spyOn(machine, 'getTransitionData')
    // Guards are those of the machine that the snapshot names.
    .mockImplementation((snapshot, event) => broken.getTransitionData({ ...snapshot, machine: broken }, event));
  return () => spy.mock.calls.length > 0;
}

let stages: Stages;
beforeAll(async () => {
  stages = await openStages({ database: async () => (await openTestDatabase(anyDatabase)).database });
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => stages.close());

describe.each(people.map((scenario) => [basename(scenario.file), scenario] as const))(
  '%s fails where',
  (file, scenario) => {
    const broken = BROKEN[file] ?? [];

    it('a broken rule is one of its own', () => expect(broken).not.toEqual([]));

    const cases = broken.map(([id, says, breaking, alsoRefusedBy]) => ({ id, says, breaking, alsoRefusedBy }));
    it.each(cases)('the machine $id is wrong: $says', async ({ id, breaking, alsoRefusedBy }) => {
      const stage = await stages.stageFor(scenario);
      const isAsked = breakMachine(id, breaking);
      const found = await play(scenario, stage).then(failuresOf, (error) => {
        // The engine itself sees it, or the database refuses the operator's action.
        if (error instanceof InvariantViolation || error instanceof Unavailable) return [error.message];
        throw error;
      });
      expect(found.length === 0).toBe(alsoRefusedBy !== undefined);
      expect(isAsked()).toBe(true);
    });
  },
);
