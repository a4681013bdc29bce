/** The schema of `mails.yaml`: the team's own subjects, texts and buttons of mails. */
import { z } from 'zod';
import { expecting } from './expectations.ts';
import { isPlainText } from './plain-text.ts';

/**
 * The placeholders of each mail besides `{organization}`. The first is the paragraph that the mail is for. A mail to an
 * unproven address names no account.
 */
export const MAIL_PLACEHOLDERS = {
  verify_address: ['link'],
  reset_password: ['link', 'username'],
  lost_factors: ['link', 'username'],
  change_address: ['link'],
  address_changed: ['link', 'username'],
  sign_up: ['link'],
  invitation: ['link'],
  has_account: ['link', 'usernames', 'forgot'],
  mailed_code: ['code', 'username', 'at', 'browser'],
  new_device: ['link', 'username', 'at', 'browser'],
  password_changed: ['link', 'username', 'at'],
  passkey_added: ['link', 'username', 'at'],
  passkey_removed: ['link', 'username', 'at'],
  second_factor_added: ['link', 'username', 'at'],
  second_factor_removed: ['link', 'username', 'at'],
  factors_removed: ['link', 'username', 'at'],
  browser_trusted: ['link', 'username', 'at'],
  identity_linked: ['link', 'username', 'at'],
  identity_removed: ['link', 'username', 'at'],
  address_restored: ['link', 'username', 'at'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type MailName = keyof typeof MAIL_PLACEHOLDERS;
const NAMES = Object.keys(MAIL_PLACEHOLDERS) as MailName[];

/** The languages of the shipped catalogues. A team may add others. */
export const SHIPPED_LANGUAGES: readonly string[] = ['ar', 'de', 'en', 'es', 'fr'];

const line = (max: number, description: string) =>
  expecting(
    z
      .string()
      .max(max)
      .refine((value) => isPlainText(value) && value.trim() !== ''),
    `one line of 1 to ${max} characters without control characters`,
  )
    .optional()
    .describe(description);

const MAX_TEXT = 5000;
const text = expecting(
  z
    .string()
    .max(MAX_TEXT)
    .refine((value) => value.split('\n').every(isPlainText) && value.trim() !== ''),
  `a text of 1 to ${MAX_TEXT} characters without control characters`,
);

/** `mails.yaml`. It may be left out: the mails then have the texts of their language. */
export const mailsSchema = z.strictObject({
  mails: z
    .array(
      z.strictObject({
        mail: z.enum(NAMES).describe('The mail. docs/e-mail.md lists all of them.'),
        language: expecting(
          z.string().regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/),
          'the tag of a language, such as "en" (BCP 47)',
        ).describe('A language of the pages. Other languages keep their own text.'),
        subject: line(150, 'In place of the subject. It may contain placeholders, such as {organization}.'),
        text: text
          .optional()
          .describe('In place of the text. An empty line ends a paragraph, and {link} is a paragraph of its own.'),
        button: line(60, 'The words on the button, which opens the link.'),
      }),
    )
    .max(500)
    .default([])
    .describe('The texts that differ from those of the server, for each mail and language.'),
});

export type MailsFile = z.output<typeof mailsSchema>;

export const NO_OWN_MAILS: MailsFile = { mails: [] };
