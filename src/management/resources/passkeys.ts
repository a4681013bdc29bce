/** The passkeys of an end-user, without credential id and public key. */
import { z } from 'zod';
import { isSecondFactorOnly, type Passkey } from '../../lifecycles/passkey/entity.ts';
import { removePasskeyByAdministrator } from '../../people/second-factor/removal.ts';
import { passkeyStore, recoveryCodeStore, secondFactorStore, trustedBrowserStore } from '../../storage/factors.ts';
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
    name: z.string().describe('As the end-user named it.'),
    synced: z.boolean().describe('It may be copied to other devices of the end-user (WebAuthn §6.1).'),
    second_factor_only: z
      .boolean()
      .describe('It came from another system, stands behind the password, and never signs in by itself.'),
    added_at: shownInstant,
    last_used_at: shownInstant.nullable().describe('Null: it was never used.'),
    _links: z.object({ self: link, user: link }),
  })
  .meta({ id: 'Passkey' });

export const passkeyDocument = (
  issuer: string,
  { id, userId, name, backupEligible, createdAt, lastUsedAt }: Passkey,
) => ({
  id,
  name,
  synced: backupEligible,
  second_factor_only: isSecondFactorOnly({ id }),
  added_at: createdAt.toISOString(),
  last_used_at: lastUsedAt?.toISOString() ?? null,
  ...links({ self: addressOf(issuer, 'users', userId, 'passkeys', id), user: userAddress(issuer, userId) }),
});

export const passkeysOfUser = resource('/users/{sub}/passkeys', 'the passkeys of an end-user', { sub }, (method) => ({
  GET: method({
    summary: 'Passkeys with which this end-user signs in, the newest first.',
    answer: pageOf(shape),
    run: async (deps, { params: { sub: id }, href }) => {
      if ((await findUser(deps, id)) === null) return notFound('end-user');
      const passkeys = await secondFactorStore(deps.db, deps.clock).listPasskeys(id);
      return found(pageBody({ items: passkeys.map((item) => passkeyDocument(deps.issuer, item)), next: null }, href));
    },
  }),
}));

export const passkeyOfUser = resource(
  '/users/{sub}/passkeys/{passkey_id}',
  'a passkey',
  { sub, passkey_id: z.uuid() },
  (method) => ({
    GET: method({
      summary: 'One passkey.',
      answer: shape,
      run: async ({ db, clock, macs, issuer }, { params: { sub: userId, passkey_id: id } }) => {
        const loaded = await passkeyStore(db, clock, macs).load({ userId, id });
        return loaded?.passkey.state === 'active'
          ? found(passkeyDocument(issuer, loaded.passkey))
          : notFound('passkey');
      },
    }),
    DELETE: method({
      summary:
        'Removes the passkey permanently, even if it is the last way to sign in. The removal of the last factor removes the recovery codes too. Sessions stay active: end them too.',
      run: async ({ db, clock, macs, sleep, mails }, { params: { sub: userId, passkey_id: id }, actor }) => {
        const ports = {
          passkeys: passkeyStore(db, clock, macs),
          secondFactors: secondFactorStore(db, clock),
          recoveryCodes: recoveryCodeStore(db, clock),
          trustedBrowsers: trustedBrowserStore(db, clock, macs),
          sleep,
        };
        const before = await ports.passkeys.load({ userId, id });
        if (!(await removePasskeyByAdministrator(ports, { userId, id }, actor))) return notFound('passkey');
        // Sent again, it removes nothing.
        if (before?.passkey.state === 'active') await tellOwner({ mails, clock }, userId, 'passkey_removed');
        return done;
      },
    }),
  }),
);
