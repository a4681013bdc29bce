/** The mails of this server with made-up data, as end-users would receive them now. Their texts change in the files. */
import { z } from 'zod';
import { addressOf as addressOfUser } from '../../model/user.ts';
import { MAIL_KINDS } from '../../people/mail/mail.ts';
import { sampleMail } from '../../people/mail/samples.ts';
import { addressOf, links } from '../addresses.ts';
import type { MailPreviews, ManagementDeps } from '../deps.ts';
import { link, pageBody, pageOf, selfLink } from '../page.ts';
import { type Problem, type ProblemReason, problem } from '../problem.ts';
import { created, found, resource } from '../resource.ts';
import type { Me } from '../who.ts';

const kind = z.enum(MAIL_KINDS);
const params = { kind };

/** A team may add languages, so the schema lists none. */
const language = z.string().min(1).max(35).default('en').describe('A language of the mail, as a tag such as "de".');

const listedShape = z.object({ kind, languages: z.array(z.string()), _links: selfLink }).meta({ id: 'MailKind' });
const previewShape = z
  .object({
    kind,
    language: z.string(),
    subject: z.string(),
    text: z.string(),
    html: z.string().describe('Loads nothing: the logo is in it.'),
    sends_mails: z.boolean().describe('False: this server sends no mails.'),
    test_recipient: z
      .string()
      .nullable()
      .describe('The verified address of the caller. Null: the caller has none, or this server sends no mails.'),
    _links: z.object({ self: link, tests: link }),
  })
  .meta({ id: 'MailPreview' });

const MAILS_OFF = 'This server sends no mails: set STATEHOUSE_SMTP_URL. Nothing was sent.';
const NO_ADDRESS = 'A test mail goes to your own verified address, and you have none. Nothing was sent.';
const QUEUE_IS_FULL = 'The queue of mails is full. Nothing was sent; try again in a minute.';

export const mails = resource('/mails', 'the mails', {}, (method) => ({
  GET: method({
    summary: 'Each kind of mail, and its languages.',
    answer: pageOf(listedShape),
    run: async ({ issuer, mailPreviews }, { href }) => {
      const { languages } = await mailPreviews();
      const items = MAIL_KINDS.map((one) => ({
        kind: one,
        languages: [...languages],
        ...links({ self: addressOf(issuer, 'mails', one) }),
      }));
      return found(pageBody({ items, next: null }, href));
    },
  }),
}));

export const mail = resource('/mails/{kind}', 'a mail', params, (method) => ({
  GET: method({
    summary: 'One mail with made-up data: its subject, its text and its HTML, with the look and the texts in force.',
    query: z.strictObject({ language }),
    answer: previewShape,
    run: async (deps, { params: { kind: of }, query, me }) => {
      const previews = await deps.mailPreviews();
      const unknown = unknownLanguage(previews, query.language, 'invalid_parameter');
      if (unknown !== null) return unknown;
      const { issuer, mails: sending } = deps;
      const recipient = await ownAddress(deps, me);
      const sample = sampleMail(issuer, { kind: of, language: query.language, to: recipient ?? '' });
      const { subject, text, html } = await previews.compose(sample);
      const self = addressOf(issuer, 'mails', of);
      return found({
        kind: of,
        language: query.language,
        subject,
        text,
        html,
        sends_mails: sending !== null,
        test_recipient: recipient,
        ...links({ self, tests: `${self}/tests` }),
      });
    },
  }),
}));

export const mailTests = resource('/mails/{kind}/tests', 'the tests of a mail', params, (method) => ({
  POST: method({
    summary: 'Sends the mail to the verified address of the caller, with made-up data. Its link has no effect.',
    body: z.strictObject({ language }),
    bodyIsOptional: true,
    example: { language: 'de' },
    answer: z.object({ kind, language: z.string(), to: z.string() }).meta({ id: 'MailTest' }),
    creates: true,
    rejects: ['mails_off', 'no_verified_address'],
    run: async (deps, { params: { kind: of }, body, me, makes }) => {
      const unknown = unknownLanguage(await deps.mailPreviews(), body.language, 'invalid_fields');
      if (unknown !== null) return unknown;
      const { issuer, mails: sending } = deps;
      if (sending === null) return problem('mails_off', MAILS_OFF);
      const to = await ownAddress(deps, me);
      if (to === null) return problem('no_verified_address', NO_ADDRESS);
      const sample = sampleMail(issuer, { kind: of, language: body.language, to, userId: me.id });
      // Sent again with its key, the request sends no second mail.
      if (!makes.wasCarriedOut && !(await sending.outbox.send(sample)))
        return problem('temporarily_unavailable', QUEUE_IS_FULL);
      return created({ kind: of, language: body.language, to }, addressOf(issuer, 'mails', of));
    },
  }),
}));

/** Never an address that the request names: no operator writes to strangers under the name of this server. */
async function ownAddress({ mails: sending }: Pick<ManagementDeps, 'mails'>, me: Me): Promise<string | null> {
  const user = me.kind === 'operator' && sending !== null ? await sending.accounts.find(me.id) : null;
  const own = user && addressOfUser(user);
  return own?.isVerified ? own.address : null;
}

function unknownLanguage({ languages }: MailPreviews, asked: string, reason: ProblemReason): Problem | null {
  if (languages.includes(asked)) return null;
  const detail = `Expected one of ${languages.join(', ')}.`;
  return problem(reason, 'Nothing was sent. See "errors".', [{ field: 'language', detail }]);
}
