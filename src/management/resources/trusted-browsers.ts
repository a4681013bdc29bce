/** Browsers that an end-user trusts, so that they skip the second factor. The cookie is never shown, nor its hash. */
import { z } from 'zod';
import {
  askTrustedBrowser,
  type LoadedTrustedBrowser,
  trustStandsUntil,
} from '../../lifecycles/trusted-browser/lifecycle.ts';
import { endTrustByAdministrator } from '../../people/second-factor/removal.ts';
import { trustedBrowserStore } from '../../storage/factors.ts';
import { addressOf, links } from '../addresses.ts';
import type { ManagementDeps } from '../deps.ts';
import { shownInstant } from '../instant.ts';
import { link, pageBody, pageOf } from '../page.ts';
import { notFound } from '../problem.ts';
import { done, found, resource } from '../resource.ts';
import { userAddress } from './user-record.ts';
import { findUser, sub } from './users.ts';

const shape = z
  .object({
    id: z.uuid(),
    user_agent: z.string().nullable(),
    trusted_at: shownInstant,
    last_used_at: shownInstant.nullable().describe('Null: it has not skipped the second factor yet.'),
    ends_at: shownInstant.describe('Under the current policy.'),
    _links: z.object({ self: link, user: link }),
  })
  .meta({ id: 'TrustedBrowser' });

type Standing = { readonly browser: LoadedTrustedBrowser['browser']; readonly endsAt: Date };

export const trustedBrowserDocument = (
  issuer: string,
  { browser: { id, userId, userAgent, createdAt, lastUsedAt }, endsAt }: Standing,
) => ({
  id,
  user_agent: userAgent,
  trusted_at: createdAt.toISOString(),
  last_used_at: lastUsedAt?.toISOString() ?? null,
  ends_at: endsAt.toISOString(),
  ...links({ self: addressOf(issuer, 'users', userId, 'trusted-browsers', id), user: userAddress(issuer, userId) }),
});

const portsOf = ({ db, clock, macs, sleep }: ManagementDeps) => ({
  trustedBrowsers: trustedBrowserStore(db, clock, macs),
  sleep,
});

function standing({ configuration }: ManagementDeps, loaded: LoadedTrustedBrowser): readonly Standing[] {
  const endsAt = trustStandsUntil(loaded, configuration().signIn.trustedBrowserLifetimeSeconds);
  return endsAt === null ? [] : [{ browser: loaded.browser, endsAt }];
}

export const trustedBrowsersOfUser = resource(
  '/users/{sub}/trusted-browsers',
  'the trusted browsers of an end-user',
  { sub },
  (method) => ({
    GET: method({
      summary: 'Browsers in which this end-user skips the second factor, the newest first.',
      answer: pageOf(shape),
      run: async (deps, { params: { sub: userId }, href }) => {
        if ((await findUser(deps, userId)) === null) return notFound('end-user');
        const all = await portsOf(deps).trustedBrowsers.list(userId);
        const items = all
          .flatMap((loaded) => standing(deps, loaded))
          .map((item) => trustedBrowserDocument(deps.issuer, item));
        return found(pageBody({ items, next: null }, href));
      },
    }),
    DELETE: method({
      summary:
        'Ends the trust in every browser of this end-user: the next sign-in asks for the second factor. Sessions stay active: end them too.',
      run: async (deps, { params: { sub: userId }, actor }) => {
        if ((await findUser(deps, userId)) === null) return notFound('end-user');
        await endTrustByAdministrator(portsOf(deps), userId, actor);
        return done;
      },
    }),
  }),
);

export const trustedBrowserOfUser = resource(
  '/users/{sub}/trusted-browsers/{trust_id}',
  'a trusted browser',
  { sub, trust_id: z.uuid() },
  (method) => ({
    GET: method({
      summary: 'One trusted browser.',
      answer: shape,
      run: async (deps, { params: { sub: userId, trust_id: id } }) => {
        const loaded = await portsOf(deps).trustedBrowsers.load(userId, id);
        const [one] = loaded === null || loaded.browser.state !== 'active' ? [] : standing(deps, loaded);
        return one ? found(trustedBrowserDocument(deps.issuer, one)) : notFound('trusted browser');
      },
    }),
    DELETE: method({
      summary:
        'Ends the trust in this browser: its next sign-in asks for the second factor. Its session stays active: end it too.',
      run: async (deps, { params: { sub: userId, trust_id: id }, actor }) => {
        const asked = { type: 'endRequestedByAdministrator', actor } as const;
        const answer = await askTrustedBrowser(portsOf(deps), { userId, id }, asked);
        return answer === null ? notFound('trusted browser') : done;
      },
    }),
  }),
);
