/**
 * The registration of a client that registered itself: unregistered → unused → used → ended.
 *
 *   unregistered ── registered ──► unused ── authorized ──► used ── deleted ──► ended
 *
 * A client may delete itself before an end-user signs in to it, too. Each event that changes the client is an event for the machine of the
 * client, in the same commit. Housekeeping removes a registration that no end-user used in time. Each refusal of a presented token leaves
 * everything as it is, and the client cannot distinguish them.
 *
 * As a picture or as JSON, whole: `npx statehouse diagram client-registration` (`--format json`).
 */
import { setup } from 'xstate';
import type { Meta, SharedArm } from '../shared/arm.ts';
import { reject } from '../shared/effects.ts';
import type { Answers, AtEveryEvent } from '../shared/events.ts';
import { clientRegistrationEffects } from './effects.ts';
import type { ClientRegistrationContext, ClientRegistrationEvent } from './facts.ts';
import { clientRegistrationGuards } from './guards.ts';

const unknown = {
  actions: reject('registration_unknown'),
  description: 'No client of this id registered itself.',
  meta: { spec: 'RFC 7592 §2.1' },
} as const satisfies SharedArm;

const ended = {
  actions: reject('registration_ended'),
  description: 'The client deleted itself: its registration access token is no longer valid.',
  meta: { spec: 'RFC 7592 §2.3' },
} as const satisfies SharedArm;

const taken = {
  actions: reject('registration_unknown'),
  description: 'The server draws another id for each registration.',
  meta: { spec: 'RFC 7591 §3.2.1' },
} as const satisfies SharedArm;

const nothingToExtend = {
  description: 'An end-user signs in to a client that did not register itself.',
} as const satisfies SharedArm;

const off = {
  guard: 'isOff',
  actions: reject('registration_off'),
  description: 'The rules of this server let no client register itself.',
  meta: { spec: 'RFC 7591 §3' },
} as const satisfies SharedArm;

/** In this order, so that only the right token shows the standing of the client. */
const presented = [
  {
    guard: 'tokenIsWrong',
    actions: reject('registration_token_wrong'),
    description: 'The token is not the registration access token of this client.',
    meta: { spec: 'RFC 7592 §2.1' },
  },
  {
    guard: 'isDeleted',
    actions: reject('registration_ended'),
    description: 'An administrator deleted the client.',
    meta: { spec: 'RFC 7592 §2.1' },
  },
  {
    guard: 'isVetted',
    actions: reject('registration_adopted'),
    description: 'An operator vouches for the client, and administers it.',
    meta: { spec: 'RFC 7592 §2.1' },
  },
] as const satisfies readonly SharedArm[];

const read = [
  ...presented,
  {
    actions: 'showClient',
    description: 'The client reads its metadata.',
    meta: { spec: 'RFC 7592 §2.1' },
  },
] as const satisfies readonly SharedArm[];

const change = [
  ...presented,
  off,
  {
    guard: 'weakensAuthentication',
    actions: reject('registration_weakens_authentication'),
    description: 'Its refresh tokens must not work without the secret or the key that the client has.',
    meta: { spec: 'RFC 7592 §2.2' },
  },
  {
    actions: ['showClient', 'describeClient'],
    description: 'The sent metadata replace those before. Grants stay active.',
    meta: { spec: 'RFC 7592 §2.2' },
  },
] as const satisfies readonly SharedArm[];

const deletion = [
  ...presented,
  {
    target: 'ended',
    actions: ['endRegistration', 'endClient'],
    description: 'The client deletes itself, and each of its grants ends.',
    meta: { spec: 'RFC 7592 §2.3' },
  },
] as const satisfies readonly SharedArm[];

export const clientRegistrationMachine = setup({
  types: { context: {} as ClientRegistrationContext, events: {} as ClientRegistrationEvent, meta: {} as Meta },
  guards: clientRegistrationGuards as AtEveryEvent<
    typeof clientRegistrationGuards,
    ClientRegistrationContext,
    ClientRegistrationEvent
  >,
  actions: clientRegistrationEffects,
}).createMachine({
  id: 'clientRegistration',
  context: {} as ClientRegistrationContext,
  initial: 'unregistered',
  states: {
    unregistered: {
      description: 'No client of this id registered itself.',
      meta: { spec: 'RFC 7591 §3' },
      on: {
        registrationRequested: [
          off,
          {
            guard: 'tooManyAreStored',
            actions: reject('too_many_registrations'),
            description: 'So many registrations are stored that the table would fill.',
            meta: { spec: 'RFC 7591 §5' },
          },
          {
            target: 'unused',
            actions: ['storeRegistration', 'describeClient'],
            description: 'The client gets its id, and may ask end-users to sign in.',
            meta: { spec: 'RFC 7591 §3.2.1' },
          },
        ],
        authorized: nothingToExtend,
        readRequested: unknown,
        changeRequested: unknown,
        deletionRequested: unknown,
      },
    },
    unused: {
      description: 'No end-user has signed in to the client.',
      meta: { spec: 'RFC 7591 §3.2.1' },
      on: {
        registrationRequested: taken,
        authorized: {
          target: 'used',
          actions: 'extendRegistration',
          description: 'An end-user signs in: the client stays.',
        },
        readRequested: read,
        changeRequested: change,
        deletionRequested: deletion,
      },
    },
    used: {
      description: 'An end-user has signed in to the client.',
      meta: { spec: 'RFC 7591 §3.2.1' },
      on: {
        registrationRequested: taken,
        authorized: [
          {
            guard: 'wasJustExtended',
            description: 'The end moves once a day at most.',
          },
          {
            actions: 'extendRegistration',
            description: 'An end-user signs in: the client stays longer.',
          },
        ],
        readRequested: read,
        changeRequested: change,
        deletionRequested: deletion,
      },
    },
    ended: {
      description: 'The client deleted itself.',
      meta: { spec: 'RFC 7592 §2.3' },
      on: {
        registrationRequested: taken,
        authorized: nothingToExtend,
        readRequested: ended,
        changeRequested: ended,
        deletionRequested: ended,
      },
    },
  } as const satisfies Answers<typeof clientRegistrationGuards, ClientRegistrationEvent>,
});
