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
import { done, found, resource } from '../resource.ts';
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

export const linkedIdentitiesOfUser = resource(
  '/users/{sub}/linked-identities',
  'the linked identities of an end-user',
  { sub },
  (method) => ({
    GET: method({
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
  }),
);

export const linkedIdentity = resource(
  '/users/{sub}/linked-identities/{identity_id}',
  'a linked identity',
  { sub, identity_id: z.uuid() },
  (method) => ({
    GET: method({
      summary: 'One linked account.',
      answer: shape,
      run: async ({ db, clock, issuer }, { params: { sub: userId, identity_id: id } }) => {
        const { identity } = await linkedIdentityStore(db, clock).load({ id, userId });
        return identity?.state === 'active' ? found(identityDocument(issuer, identity)) : notFound('linked identity');
      },
    }),
    DELETE: method({
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
  }),
);
