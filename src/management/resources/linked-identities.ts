/** The accounts at other OpenID Providers with which an end-user signs in. */
import { z } from 'zod';
import type { LinkedIdentity } from '../../lifecycles/linked-identity/entity.ts';
import { removeIdentity } from '../../lifecycles/linked-identity/lifecycle.ts';
import { linkedIdentityStore } from '../../storage/linked-identities.ts';
import { addressOf, links } from '../addresses.ts';
import { shownInstant } from '../instant.ts';
import { tellOwner } from '../notices.ts';
import { link, pageBody, pageOf } from '../page.ts';
import { notFound } from '../problem.ts';
import { done, found, type ManagementResource, methodsOf } from '../resource.ts';
import { userAddress } from './user-record.ts';
import { findUser, sub } from './users.ts';

const shape = z
  .object({
    id: z.uuid(),
    provider: z.string().describe('As upstreams.yaml called it when the account was linked.'),
    issuer: z.string(),
    subject: z.string().describe('The `sub` at that issuer.'),
    linked_at: shownInstant,
    _links: z.object({ self: link, user: link }),
  })
  .meta({ id: 'LinkedIdentity' });

export const identityDocument = (
  issuer: string,
  { id, userId, provider, subject, linkedAt, issuer: theirs }: LinkedIdentity,
) => ({
  id,
  provider,
  issuer: theirs,
  subject,
  linked_at: linkedAt.toISOString(),
  ...links({
    self: addressOf(issuer, 'users', userId, 'linked-identities', id),
    user: userAddress(issuer, userId),
  }),
});

const ofUser = z.object({ sub });
const ofIdentity = z.object({ sub, identity_id: z.uuid() });

export const linkedIdentitiesOfUser = {
  path: '/users/{sub}/linked-identities',
  name: 'the linked identities of an end-user',
  params: ofUser,
  methods: {
    GET: methodsOf(ofUser)({
      summary: 'Accounts at other OpenID Providers with which this end-user signs in, the oldest first.',
      answer: pageOf(shape),
      run: async (deps, { params: { sub: id }, href }) => {
        if ((await findUser(deps, id)) === null) return notFound('end-user');
        const identities = await linkedIdentityStore(deps.db, deps.clock).list(id);
        return found(
          pageBody({ items: identities.map((one) => identityDocument(deps.issuer, one)), next: null }, href),
        );
      },
    }),
  },
} as const satisfies ManagementResource;

export const linkedIdentity = {
  path: '/users/{sub}/linked-identities/{identity_id}',
  name: 'a linked identity',
  params: ofIdentity,
  methods: {
    GET: methodsOf(ofIdentity)({
      summary: 'One linked account.',
      answer: shape,
      run: async ({ db, clock, issuer }, { params: { sub: userId, identity_id: id } }) => {
        const { identity } = await linkedIdentityStore(db, clock).load({ id, userId });
        return identity?.state === 'active' ? found(identityDocument(issuer, identity)) : notFound('linked identity');
      },
    }),
    DELETE: methodsOf(ofIdentity)({
      summary:
        'Removes the linked account, even if it is the last way to sign in. Its sessions stay active: end them too.',
      run: async ({ db, clock, sleep, mails }, { params: { sub: userId, identity_id: id }, actor }) => {
        const ports = { identities: linkedIdentityStore(db, clock), sleep };
        const { identity } = await ports.identities.load({ id, userId });
        const removed = await removeIdentity(ports, { id, userId }, 'removalRequestedByAdministrator', actor);
        if (removed.kind !== 'done') return notFound('linked identity');
        // Sent again, it removes nothing.
        if (identity?.state === 'active') await tellOwner({ mails, clock }, userId, 'identity_removed');
        return done;
      },
    }),
  },
} as const satisfies ManagementResource;
