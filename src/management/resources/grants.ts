/** The grants of end-users to clients: each with its code and its chain of refresh tokens. */

import { z } from 'zod';
import { explanationDocument } from '../../explanation/document.ts';
import { explanationOf, type Life, lifeOf } from '../../explanation/explanation.ts';
import { administratorEndRequest, revokeGrant } from '../../lifecycles/grant/lifecycle.ts';
import { grantEndReason, subOfGrant } from '../../model/grant.ts';
import { loadLife } from '../../storage/grant-life.ts';
import { findListedGrant, type GrantFilter, type ListedGrant, listGrantPage } from '../../storage/grant-list.ts';
import { addressOf, links } from '../addresses.ts';
import type { ManagementDeps } from '../deps.ts';
import { instant, shownInstant } from '../instant.ts';
import { lifetimesOf } from '../lifetimes.ts';
import { instantPosition, link, listAnswer, pageOf, pageQuery } from '../page.ts';
import { notFound } from '../problem.ts';
import { type Answer, done, found, resource } from '../resource.ts';
import { clientAddress } from './client-record.ts';
import { clientId } from './clients.ts';
import { userAddress } from './user-record.ts';
import { sub } from './users.ts';

const params = { grant_id: z.uuid() };

const shape = z
  .object({
    grant_id: z.uuid(),
    state: z.enum(['active', 'ended']).describe('By decision or by time, under the current policies.'),
    reason: z.string().nullable().describe('The reason of the decision that ended it; null: none.'),
    client_id: z.string(),
    client_name: z.string(),
    sub: z.string(),
    username: z.string(),
    scope: z.string(),
    resources: z.array(z.string()),
    created_at: shownInstant,
    last_used_at: shownInstant
      .nullable()
      .describe('The exchange of the code, then the last rotation; null: the code waits.'),
    ends_at: shownInstant.describe('When time ends it, unless it is used before.'),
    life: z
      .union([
        z.object({ active_until: shownInstant, would_end_by: z.string() }),
        z.object({ reason: z.string().nullable(), ended_at: shownInstant.nullable() }),
      ])
      .describe(
        'For an active grant, its end and the reason. For an ended grant, the time and the reason, by decision or by time.',
      ),
    rotations: z
      .int()
      .nullable()
      .describe('How often its refresh token has been used; null: the code was not exchanged.'),
    sid: z
      .string()
      .nullable()
      .describe('The session whose end-user approved it, which has the name of the browser; null: not recorded.'),
    _links: z.object({ self: link, transitions: link, client: link, user: link }),
  })
  .meta({ id: 'Grant' });

const filters = {
  state: z.enum(['active', 'ended']).optional(),
  from: instant.optional().describe('Created at this instant or later (RFC 3339).'),
  to: instant.optional().describe('Created before this instant (RFC 3339).'),
};

const addressOfGrant = (issuer: string, id: string): string => addressOf(issuer, 'grants', id);

const lifeDocument = (life: Life) =>
  life.kind === 'active'
    ? { active_until: life.until.toISOString(), would_end_by: life.end }
    : { reason: life.reason, ended_at: life.since?.toISOString() ?? null };

export function grantDocument(
  { issuer, configuration }: Pick<ManagementDeps, 'issuer' | 'configuration'>,
  listed: ListedGrant,
) {
  const { grant, clientName, policyToday, username, state, endsAt, now } = listed;
  const lifetimes = lifetimesOf(configuration());
  const self = addressOfGrant(issuer, grant.id);
  return {
    grant_id: grant.id,
    state,
    reason: grantEndReason(grant),
    client_id: grant.clientId,
    client_name: clientName,
    sub: subOfGrant(grant),
    username,
    scope: grant.scope.join(' '),
    resources: grant.resources,
    created_at: grant.createdAt.toISOString(),
    last_used_at: grant.lastUsedAt?.toISOString() ?? null,
    ends_at: endsAt.toISOString(),
    life: lifeDocument(lifeOf(grant, lifetimes({ clientId: grant.clientId, policy: policyToday }), now)),
    rotations: grant.refreshGeneration === null ? null : Number(grant.refreshGeneration),
    sid: grant.identity?.sid ?? null,
    ...links({
      self,
      transitions: `${self}/transitions`,
      client: clientAddress(issuer, grant.clientId),
      user: userAddress(issuer, grant.userId),
    }),
  };
}

const listed = (
  deps: ManagementDeps,
  page: { readonly limit: number; readonly cursor?: string | undefined },
  filter: GrantFilter,
  href: string,
): Promise<Answer> =>
  listAnswer(page, instantPosition, href, async (request) => {
    const { items, next } = await listGrantPage(
      deps.db,
      deps.clock,
      lifetimesOf(deps.configuration()),
      filter,
      request,
    );
    return { items: items.map((item) => grantDocument(deps, item)), next };
  });

export const grants = resource('/grants', 'the grants', {}, (method) => ({
  GET: method({
    summary: 'The grants of all end-users, newest first.',
    query: z.strictObject({ ...pageQuery, client_id: clientId.optional(), sub: sub.optional(), ...filters }),
    answer: pageOf(shape),
    run: (deps, { query: { client_id, sub: userId, state, from, to, ...page }, href }) =>
      listed(deps, page, { clientId: client_id, userId, state, createdFrom: from, createdTo: to }, href),
  }),
}));

export const grantsOfUser = resource('/users/{sub}/grants', 'the grants of an end-user', { sub }, (method) => ({
  GET: method({
    summary: 'The grants of this end-user, newest first.',
    query: z.strictObject({ ...pageQuery, client_id: clientId.optional(), ...filters }),
    answer: pageOf(shape),
    run: (deps, { params: { sub: userId }, query: { client_id, state, from, to, ...page }, href }) =>
      listed(deps, page, { clientId: client_id, userId, state, createdFrom: from, createdTo: to }, href),
  }),
}));

const find = ({ db, clock, configuration }: ManagementDeps, id: string) =>
  findListedGrant(db, clock, lifetimesOf(configuration()), id);

export const grant = resource('/grants/{grant_id}', 'a grant', params, (method) => ({
  GET: method({
    summary: 'One grant.',
    answer: shape,
    run: async (deps, { params: { grant_id } }) => {
      const stored = await find(deps, grant_id);
      return stored ? found(grantDocument(deps, stored)) : notFound('grant');
    },
  }),
  DELETE: method({
    summary: 'Revokes the grant: its code and every refresh token of its chain. An ended grant stays unchanged.',
    run: async (deps, { params: { grant_id }, actor }) => {
      const stored = await find(deps, grant_id);
      if (!stored) return notFound('grant');
      await revokeGrant(deps, stored, administratorEndRequest(actor));
      return done;
    },
  }),
}));

export const grantTransitions = resource('/grants/{grant_id}/transitions', 'the life of a grant', params, (method) => ({
  GET: method({
    summary: 'The history of the grant, whether it is active, why it ended, and what would have prevented that.',
    answer: z.looseObject({
      grant_id: z.uuid(),
      found: z
        .boolean()
        .describe('False: its row was removed long after its end. The ledger may still have entries about it.'),
      active: z.boolean(),
      events: z.array(z.looseObject({ at: shownInstant, machine: z.string(), event: z.string() })),
      earlier_events: z.int(),
    }),
    run: async ({ db, clock, configuration }, { params: { grant_id: grantId } }) => {
      const life = await loadLife(db, clock, grantId);
      const { client, lines } = life;
      if (!life.grant && lines.length === 0) return notFound('grant');
      const policy = client && configuration().policies.get(client.policy);
      const lifetimes = client && policy ? { name: client.policy, ...policy } : null;
      const explained = { ...life, ...explanationOf(life, { kind: 'grant_id', grantId }, lifetimes), grantId };
      const { now: _, presented: __, ...document } = explanationDocument(explained);
      return found(document);
    },
  }),
}));
