/**
 * The document of a client whose `client_id` is a URL: unseen → known ⇄ stale, and refused.
 *
 *   ┌────────┐ described                        ┌───────┐ unreachable ┌───────┐
 *   │ unseen │ ───────────────────────────────► │ known │ ──────────► │ stale │
 *   └────────┘ (keepDocument, describeClient)   └───────┘ ◄────────── └───────┘
 *
 * A stored document that breaks a rule is refused, and so is one whose origin sends none for a day. A valid one is known again.
 * A document is fetched when an authorization request names its URL, and never for another request. It registers the client by an event for
 * the machine of the client, in the same commit. A failed first fetch stores nothing, so a visitor who names URLs fills no table. Grants of
 * the client stay as they are, whatever its document becomes: a document decides about new authorization requests alone.
 *
 * As a picture or as JSON, whole: `npx statehouse diagram client-document` (`--format json`).
 */
import { and, setup } from 'xstate';
import type { Meta, SharedArm } from '../shared/arm.ts';
import { reject } from '../shared/effects.ts';
import type { Answers, AtEveryEvent } from '../shared/events.ts';
import { clientDocumentEffects } from './effects.ts';
import type { ClientDocumentContext, ClientDocumentEvent } from './facts.ts';
import { clientDocumentGuards } from './guards.ts';

const vetted = {
  guard: 'isVetted',
  actions: 'useClient',
  description: 'An operator registered the client, and no document changes that.',
  meta: { spec: 'CIMD §7.2' },
} as const satisfies SharedArm;

const deleted = {
  guard: 'isDeleted',
  actions: reject('document_client_deleted'),
  description: 'An administrator deleted the client: its document does not register it again.',
} as const satisfies SharedArm;

const otherOrigin = {
  guard: 'originIsNotAllowed',
  actions: reject('document_origin_refused'),
  description: 'The rules of this server name other origins.',
  meta: { spec: 'CIMD §8.9' },
} as const satisfies SharedArm;

const backsOff = {
  guard: 'hasJustFailed',
  actions: reject('document_failed_before'),
  description: 'A fetch has just failed: the origin gets a pause.',
  meta: { spec: 'CIMD §5.1' },
} as const satisfies SharedArm;

const fetch = {
  actions: 'fetchDocument',
  description: 'The origin is asked for the document.',
  meta: { spec: 'CIMD §5' },
} as const satisfies SharedArm;

const weaker = {
  guard: 'dropsAuthentication',
  target: 'refused',
  actions: ['refuseDocument', reject('document_drops_key')],
  description: 'The client had a key so far: its refresh tokens must not work without it.',
  meta: { spec: 'CIMD §8.4' },
} as const satisfies SharedArm;

const describe = {
  target: 'known',
  actions: ['keepDocument', 'describeClient'],
  description: 'The document is valid: it describes the client from now on. Grants stay active.',
  meta: { spec: 'CIMD §4, §5' },
} as const satisfies SharedArm;

const nothingCame = {
  actions: reject('document_unreachable'),
  description: 'The server shows an error, and stores nothing.',
  meta: { spec: 'CIMD §5.1, §5.2' },
} as const satisfies SharedArm;

const brokenFromTheStart = {
  actions: reject('document_malformed'),
  description: 'The server shows the broken rule, and stores nothing.',
  meta: { spec: 'CIMD §5.1, §5.2' },
} as const satisfies SharedArm;

const stillUsable = {
  guard: 'isUsable',
  target: 'stale',
  actions: ['markStale', 'useClient'],
  description: 'The origin does not answer for now: the last valid document counts for a day.',
  meta: { spec: 'CIMD §5.2' },
} as const satisfies SharedArm;

const goneForTooLong = {
  target: 'refused',
  actions: ['refuseDocument', reject('document_unreachable')],
  description: 'The origin has sent no valid document for a day.',
  meta: { spec: 'CIMD §5.1' },
} as const satisfies SharedArm;

const broken = {
  target: 'refused',
  actions: ['refuseDocument', reject('document_malformed')],
  description: 'The document breaks a rule: no authorization request continues with it.',
  meta: { spec: 'CIMD §5.1' },
} as const satisfies SharedArm;

export const clientDocumentMachine = setup({
  types: { context: {} as ClientDocumentContext, events: {} as ClientDocumentEvent, meta: {} as Meta },
  guards: clientDocumentGuards as AtEveryEvent<typeof clientDocumentGuards, ClientDocumentContext, ClientDocumentEvent>,
  actions: clientDocumentEffects,
}).createMachine({
  id: 'clientDocument',
  context: {} as ClientDocumentContext,
  initial: 'unseen',
  states: {
    unseen: {
      description: 'No document of this URL is stored.',
      meta: { spec: 'CIMD §3' },
      on: {
        named: [vetted, deleted, otherOrigin, backsOff, fetch],
        described: [
          vetted,
          deleted,
          otherOrigin,
          {
            guard: 'dropsAuthentication',
            actions: reject('document_drops_key'),
            description: 'The client has grants and a key: its refresh tokens must not work without it.',
            meta: { spec: 'CIMD §8.4' },
          },
          {
            guard: 'tooManyAreStored',
            actions: reject('too_many_client_documents'),
            description: 'So many documents are stored that the table would fill.',
          },
          describe,
        ],
        unreachable: nothingCame,
        malformed: brokenFromTheStart,
      },
    },
    known: {
      description: 'The last fetch brought a valid document.',
      meta: { spec: 'CIMD §5' },
      on: {
        named: [
          vetted,
          deleted,
          otherOrigin,
          {
            guard: 'isFresh',
            actions: 'useClient',
            description: 'The document is fresh, so its origin is not asked.',
            meta: { spec: 'CIMD §5.2, §9.1' },
          },
          fetch,
        ],
        described: [vetted, deleted, otherOrigin, weaker, describe],
        unreachable: [stillUsable, goneForTooLong],
        malformed: broken,
      },
    },
    stale: {
      description: 'A valid document came before, and its origin did not answer the last fetch.',
      meta: { spec: 'CIMD §5.1' },
      on: {
        named: [
          vetted,
          deleted,
          otherOrigin,
          {
            guard: and(['hasJustFailed', 'isUsable']),
            actions: 'useClient',
            description: 'The origin gets a pause, and the last valid document counts meanwhile.',
            meta: { spec: 'CIMD §5.2' },
          },
          backsOff,
          fetch,
        ],
        described: [vetted, deleted, otherOrigin, weaker, describe],
        unreachable: [stillUsable, goneForTooLong],
        malformed: broken,
      },
    },
    refused: {
      description: 'The last fetch brought a broken document, or none for too long.',
      meta: { spec: 'CIMD §5.1' },
      on: {
        named: [vetted, deleted, otherOrigin, backsOff, fetch],
        described: [vetted, deleted, otherOrigin, weaker, describe],
        unreachable: goneForTooLong,
        malformed: broken,
      },
    },
  } as const satisfies Answers<typeof clientDocumentGuards, ClientDocumentEvent>,
});
