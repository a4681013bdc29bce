/**
 * The client, as an administrator registers it: unregistered → registered → deleted, and back by registering again.
 *
 *                  registration requested        ┌────────────┐   deletion requested (deleteClient, raiseEpoch)   ┌─────────┐
 *   unregistered ───── (registerClient) ───────► │ registered │ ────────────────────────────────────────────────► │ deleted │
 *                                                └────────────┘ ◄──────────────────────────────────────────────── └─────────┘
 *                                    new metadata, secrets         registration requested (registerClient)
 *
 * Only configuration changes a client that configuration declares. A deletion ends every grant for good, by raising the epoch: a
 * client that is registered again under the same id begins without grants.
 *
 * As a picture or as JSON, whole: `npx statehouse diagram client` (`--format json`).
 */
import { setup } from 'xstate';
import type { Meta, SharedArm } from '../shared/arm.ts';
import { raiseEpoch, reject } from '../shared/effects.ts';
import type { Answers, AtEveryEvent } from '../shared/events.ts';
import { otherThanExpected } from '../shared/expected-row.ts';
import { clientEffects } from './effects.ts';
import type { ClientContext, ClientEvent } from './facts.ts';
import { clientGuards } from './guards.ts';

const changedElsewhere = {
  guard: 'onlyConfigurationMay',
  actions: reject('client_is_declared'),
  description: 'Configuration declares the client: the next start would undo the change.',
} as const satisfies SharedArm;

const hasNoSecret = {
  guard: 'isPublic',
  actions: reject('client_is_public'),
  description: 'A client that is public, or that has keys, has no secret.',
  meta: { spec: 'OAuth 2.1 §2.1' },
} as const satisfies SharedArm;

const noSuchClient = {
  actions: reject('client_unknown'),
  description: 'No client has this id.',
} as const satisfies SharedArm;

const register = {
  target: 'registered',
  actions: 'registerClient',
  description: 'The client may ask for tokens from now on.',
  meta: { spec: 'RFC 7591 §3.2.1' },
} as const satisfies SharedArm;

export const clientMachine = setup({
  types: { context: {} as ClientContext, events: {} as ClientEvent, meta: {} as Meta },
  guards: clientGuards as AtEveryEvent<typeof clientGuards, ClientContext, ClientEvent>,
  actions: clientEffects,
}).createMachine({
  id: 'client',
  context: {} as ClientContext,
  initial: 'unregistered',
  states: {
    unregistered: {
      description: 'No client had this id so far.',
      meta: { spec: 'OAuth 2.1 §2' },
      on: {
        registrationRequested: [otherThanExpected, register],
        secretRequested: noSuchClient,
        secretReplacementRequested: noSuchClient,
        secretRemovalRequested: noSuchClient,
        deletionRequested: noSuchClient,
      },
    },
    registered: {
      description: 'May ask for tokens.',
      meta: { spec: 'OAuth 2.1 §2' },
      on: {
        registrationRequested: [
          otherThanExpected,
          changedElsewhere,
          { guard: 'nothingDiffers', description: 'It is registered like that already.' },
          {
            actions: 'replaceRegistration',
            description:
              'The new registration replaces the old as a whole. Grants stay active, with their effective scope under the new one.',
            meta: { spec: 'RFC 7592 §2.2' },
          },
        ],
        secretRequested: [
          otherThanExpected,
          changedElsewhere,
          hasNoSecret,
          {
            guard: 'secretsAreFull',
            actions: reject('too_many_secrets'),
            description: 'Two secrets are live already: one of them is removed first.',
          },
          {
            actions: 'addSecret',
            description: 'The secret before stays active until its removal, so that the client never stops.',
          },
        ],
        secretReplacementRequested: [
          otherThanExpected,
          changedElsewhere,
          hasNoSecret,
          { actions: 'replaceSecrets', description: 'Every earlier secret stops working immediately.' },
        ],
        secretRemovalRequested: [
          otherThanExpected,
          changedElsewhere,
          {
            guard: 'secretIsUnknown',
            actions: reject('secret_unknown'),
            description: 'No live secret of the client has this id.',
          },
          {
            guard: 'secretIsTheLast',
            actions: reject('last_secret'),
            description: 'The client could no longer authenticate.',
          },
          { actions: 'removeSecret', description: 'The secret stops working immediately; the other secret stays.' },
        ],
        deletionRequested: [
          otherThanExpected,
          changedElsewhere,
          {
            target: 'deleted',
            actions: ['deleteClient', raiseEpoch('client')],
            description: 'The client is deleted, and every grant that it has ends.',
            meta: { spec: 'RFC 7592 §2.3' },
          },
        ],
      },
    },
    deleted: {
      description: 'Its id stays taken, so that nothing that ended with it comes back.',
      meta: { spec: 'RFC 7592 §2.3' },
      on: {
        registrationRequested: [otherThanExpected, register],
        secretRequested: noSuchClient,
        secretReplacementRequested: noSuchClient,
        secretRemovalRequested: noSuchClient,
        deletionRequested: noSuchClient,
      },
    },
  } as const satisfies Answers<typeof clientGuards, ClientEvent>,
});
