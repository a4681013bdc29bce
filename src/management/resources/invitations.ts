/** Invitations: links with which invited people create their accounts. The secret of a link is in one response, or only in the mail. */
import { z } from 'zod';
import { invite, withdrawInvitation } from '../../people/sign-up/sign-up.ts';
import { findInvitation, type ListedInvitation, listInvitationPage } from '../../storage/email-challenges.ts';
import { addressOf, links } from '../addresses.ts';
import { shownInstant } from '../instant.ts';
import { instantPosition, link, listAnswer, pageOf, pageQuery } from '../page.ts';
import { notFound, problem } from '../problem.ts';
import { created, done, found, resource } from '../resource.ts';

const fields = {
  invitation_id: z.uuid(),
  email: z.string(),
  invited_by: z
    .string()
    .nullable()
    .describe('As the ledger says it: `operator SUB`, `client CLIENT_ID`, `command_line`.'),
  created_at: shownInstant,
  ends_at: shownInstant,
  _links: z.object({ self: link }),
};
const shape = z.object(fields).meta({ id: 'Invitation' });
const createdShape = z
  .object({
    ...fields,
    link: z
      .string()
      .nullable()
      .describe(
        'A person who opens the link creates an account with this address. Shown once; null: only the mail has the link.',
      ),
  })
  .meta({ id: 'CreatedInvitation' });

const NO_PAGES = 'Set STATEHOUSE_SMTP_URL: the pages of invitations need mails. Nothing was changed.';
/** Of a command that no server answers. */
const NO_MAILS = 'Mails are sent by a server that runs: start it, or leave out --mail. Nothing was changed.';
const NO_ADDRESS = 'Expected an e-mail address such as ada@example.com. Nothing was changed.';
const SIGN_UP_OFF = 'Set signUp in policies/sign-in.yaml to "invitation" or "open". Nothing was changed.';

const addressOfOne = (issuer: string, id: string): string => addressOf(issuer, 'invitations', id);
export const invitationDocument = (issuer: string, { id, address, createdAt, endsAt, sentBy }: ListedInvitation) => ({
  invitation_id: id,
  email: address,
  invited_by: sentBy,
  created_at: createdAt.toISOString(),
  ends_at: endsAt.toISOString(),
  ...links({ self: addressOfOne(issuer, id) }),
});

export const invitations = resource('/invitations', 'the invitations', {}, (method) => ({
  GET: method({
    summary: 'The invitations that can still be used, newest first.',
    query: z.strictObject(pageQuery),
    answer: pageOf(shape),
    run: ({ db, clock, issuer }, { query: page, href }) =>
      listAnswer(page, instantPosition, href, async (request) => {
        const { items, next } = await listInvitationPage(db, clock, request);
        return { items: items.map((item) => invitationDocument(issuer, item)), next };
      }),
  }),
  POST: method({
    summary:
      'Invites a person to create an account. The link of an older invitation to the same address becomes invalid.',
    body: z.strictObject({
      email: z.string().max(254),
      language: z.string().max(35).optional().describe('Of the mail, as a tag such as "de".'),
      send_mail: z.boolean().default(true).describe('False: the answer has the link instead.'),
    }),
    example: { email: 'ada@example.com' },
    answer: createdShape,
    creates: true,
    secret: true,
    makes: { member: 'link', inDryRun: null },
    rejects: ['sign_up_off', 'mails_off', 'invalid_fields'],
    run: async ({ issuer, db, clock, links: deps, mails }, { body, actor, makes }) => {
      const { email, language = null, send_mail: sendsMail } = body;
      if (deps === null) return problem('mails_off', NO_PAGES);
      if (sendsMail && mails === null) return problem('mails_off', NO_MAILS);
      // Sent again with its key, it makes the same link, and no second mail.
      const { wasCarriedOut } = makes;
      const outbox = sendsMail && !wasCarriedOut ? (mails?.outbox ?? null) : null;
      const outcome = await invite({ ...deps, random: makes }, outbox, { email, language }, actor);
      if (outcome.kind === 'addressRefused')
        return problem('invalid_fields', NO_ADDRESS, [
          { field: 'email', detail: 'Expected an address such as ada@example.com.' },
        ]);
      if (outcome.kind === 'signUpIsOff') return problem('sign_up_off', SIGN_UP_OFF);
      await makes.carryOut();
      const { challenge, url, isMailed } = outcome;
      const stored = (await findInvitation(db, clock, challenge.id)) ?? { ...challenge, sentBy: null };
      const document = invitationDocument(issuer, stored);
      // A full queue takes no mail: then the administrator has to pass the link on.
      const isInMail = sendsMail && (wasCarriedOut || isMailed);
      return created({ ...document, link: isInMail ? null : url }, addressOfOne(issuer, challenge.id), document);
    },
  }),
}));

export const invitation = resource(
  '/invitations/{invitation_id}',
  'an invitation',
  { invitation_id: z.uuid() },
  (method) => ({
    GET: method({
      summary: 'One invitation that can still be used; the link is never shown.',
      answer: shape,
      run: async ({ db, clock, issuer }, { params: { invitation_id: id } }) => {
        const stored = await findInvitation(db, clock, id);
        return stored ? found(invitationDocument(issuer, stored)) : notFound('invitation that can still be used');
      },
    }),
    DELETE: method({
      summary: 'Withdraws the invitation: its link becomes invalid. An existing account stays.',
      run: async ({ db, clock, challenges, sleep }, { params: { invitation_id: id }, actor }) => {
        if ((await findInvitation(db, clock, id)) === null) return notFound('invitation that can still be used');
        await withdrawInvitation({ challenges, sleep }, id, actor);
        return done;
      },
    }),
  }),
);
