/** The second factor of an end-user: authenticator apps, and how many recovery codes are left. No secret and no code is shown. */
import { z } from 'zod';
import { removeSecondFactorByAdministrator } from '../../people/second-factor/removal.ts';
import { demandsSecondFactor } from '../../protocol/browser-session.ts';
import { recoveryCodeStore, secondFactorStore, trustedBrowserStore } from '../../storage/factors.ts';
import { addressOf, links } from '../addresses.ts';
import { shownInstant } from '../instant.ts';
import { tellOwner } from '../notices.ts';
import { link } from '../page.ts';
import { notFound } from '../problem.ts';
import { done, found, resource } from '../resource.ts';
import { userAddress } from './user-record.ts';
import { findUser, sub } from './users.ts';

const shape = z
  .object({
    active: z.boolean().describe('A sign-in with the password asks for a code of an authenticator app.'),
    required: z
      .boolean()
      .describe('The current policy requires a second factor of this end-user; a passkey is one too.'),
    apps: z
      .array(z.object({ id: z.uuid(), confirmed_at: shownInstant }))
      .describe('Authenticator apps, the newest first.'),
    recovery_codes_left: z.number().int(),
    _links: z.object({ self: link, user: link }),
  })
  .meta({ id: 'SecondFactor' });

export const secondFactorOfUser = resource(
  '/users/{sub}/second-factor',
  'the second factor of an end-user',
  { sub },
  (method) => ({
    GET: method({
      summary: 'Whether this end-user has a second factor, and how many recovery codes are left.',
      answer: shape,
      run: async (deps, { params: { sub: userId } }) => {
        const user = await findUser(deps, userId);
        if (user === null) return notFound('end-user');
        const [apps, codes] = await Promise.all([
          secondFactorStore(deps.db, deps.clock).listApps(userId),
          recoveryCodeStore(deps.db, deps.clock).active(userId),
        ]);
        const shown = apps.flatMap(({ id, state, confirmedAt }) =>
          state === 'active' && confirmedAt !== null ? [{ id, confirmed_at: confirmedAt.toISOString() }] : [],
        );
        return found({
          active: shown.length > 0,
          required: demandsSecondFactor(deps.configuration(), user.username),
          apps: shown,
          recovery_codes_left: codes.length,
          ...links({
            self: addressOf(deps.issuer, 'users', userId, 'second-factor'),
            user: userAddress(deps.issuer, userId),
          }),
        });
      },
    }),
    DELETE: method({
      summary:
        'Removes all authenticator apps and recovery codes, even if the policy requires a second factor: the next sign-in sets one up. Passkeys and sessions stay: end the sessions too.',
      run: async (deps, { params: { sub: userId }, actor }) => {
        if ((await findUser(deps, userId)) === null) return notFound('end-user');
        const { db, clock, macs, sleep } = deps;
        const ports = {
          secondFactors: secondFactorStore(db, clock),
          recoveryCodes: recoveryCodeStore(db, clock),
          trustedBrowsers: trustedBrowserStore(db, clock, macs),
          sleep,
        };
        const before = await ports.secondFactors.listApps(userId);
        await removeSecondFactorByAdministrator(ports, userId, actor);
        // Sent again, it removes nothing.
        if (before.some(({ state }) => state === 'active')) await tellOwner(deps, userId, 'second_factor_removed');
        return done;
      },
    }),
  }),
);
