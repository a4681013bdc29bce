/**
 * A link with which an end-user chooses a first password, sent by an operator. An address that is not verified gets the link that
 * verifies it: only then can its owner ask for a new password.
 */
import type { Actor } from '../../model/actor.ts';
import { addressOf, type RegisteredUser } from '../../model/user.ts';
import { languagesOf, type Mail, timeZoneOf } from '../mail/mail.ts';
import { createLink, type LinkMaking, SENT_LINK_LIFETIME_SECONDS } from './links.ts';

/** @returns the mail for the queue. Null: the machine of the link rejects it. @throws Unavailable */
export async function passwordLinkFor(deps: LinkMaking, user: RegisteredUser, actor: Actor): Promise<Mail | null> {
  const own = addressOf(user);
  if (own === null) return null;
  const { address } = own;
  const purpose = own.isVerified ? 'reset_password' : 'verify_address';
  const about = { purpose, address, userId: user.id, resumption: null } as const;
  const link = await createLink(deps, about, { actor }, SENT_LINK_LIFETIME_SECONDS);
  if (link === null) return null;
  const rest = { link: link.url, lifetimeSeconds: SENT_LINK_LIFETIME_SECONDS };
  return {
    to: address,
    userId: user.id,
    languages: languagesOf(user, []),
    timeZone: timeZoneOf(user),
    content:
      purpose === 'reset_password' ? { kind: purpose, username: user.username, ...rest } : { kind: purpose, ...rest },
  };
}
