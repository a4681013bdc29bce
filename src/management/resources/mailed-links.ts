/** Links that an operator mails to an end-user. The link is in the mail alone: the operator gains no access. */
import { z } from 'zod';
import { addressOf as emailOf } from '../../model/user.ts';
import { SENT_LINK_LIFETIME_SECONDS } from '../../people/email/links.ts';
import { passwordLinkFor } from '../../people/email/password-links.ts';
import { links } from '../addresses.ts';
import { link } from '../page.ts';
import { notFound, problem } from '../problem.ts';
import { created, resource } from '../resource.ts';
import { userAddress } from './user-record.ts';
import { findUser, sub } from './users.ts';

const shape = z
  .object({
    purpose: z
      .enum(['reset_password', 'verify_address'])
      .describe(
        '`reset_password`: to the verified address, for a new password. `verify_address`: the address is not verified; with the link its owner verifies it, and can then ask for a new password.',
      ),
    email: z.string().describe('The address of the end-user, to which the mail goes.'),
    lifetime_seconds: z.int(),
    _links: z.object({ user: link }),
  })
  .meta({ id: 'MailedLink' });

const NO_MAILS = 'Mails are sent by a server with STATEHOUSE_SMTP_URL. Nothing was sent.';
const NO_ADDRESS = 'Add the claim "email" first. Nothing was sent.';
const ENDED = 'A disabled end-user gets no link: enable them first. Nothing was sent.';
const QUEUE_IS_FULL = 'The queue of mails is full. Nothing was sent; try again in a minute.';

export const mailedLinks = resource(
  '/users/{sub}/mailed-links',
  'the links that were mailed to an end-user',
  { sub },
  (method) => ({
    POST: method({
      summary:
        'Mails the end-user a link for a new password. No answer has the link. An older link of the same kind becomes invalid.',
      answer: shape,
      creates: true,
      rejects: ['mails_off', 'no_email_address', 'end_user_ended'],
      run: async (deps, { params: { sub: userId }, actor, makes }) => {
        const { issuer, links: linking, mails } = deps;
        if (linking === null || mails === null) return problem('mails_off', NO_MAILS);
        const user = await findUser(deps, userId);
        if (user === null) return notFound('end-user');
        const own = emailOf(user);
        if (own === null) return problem('no_email_address', NO_ADDRESS);
        // Sent again with its key, the request sends no second mail.
        if (!makes.wasCarriedOut) {
          const mail = await passwordLinkFor(linking, user, actor);
          if (mail === null) return problem('end_user_ended', ENDED);
          if (!(await mails.outbox.send(mail))) return problem('temporarily_unavailable', QUEUE_IS_FULL);
          await makes.carryOut();
        }
        const address = userAddress(issuer, userId);
        return created(
          {
            purpose: own.isVerified ? 'reset_password' : 'verify_address',
            email: own.address,
            lifetime_seconds: SENT_LINK_LIFETIME_SECONDS,
            ...links({ user: address }),
          },
          address,
        );
      },
    }),
  }),
);
