/** Mails with made-up data, composed as the server composes mails: for `statehouse mails` and the management API. */
import type { Configuration } from '../../config/configuration.ts';
import { type ComposedMail, composeMail } from '../../http/views/mail.ts';
import { LANGUAGES } from '../../http/words/languages.ts';
import type { MailPreviews } from '../../management/deps.ts';
import { MAIL_KINDS } from '../../people/mail/mail.ts';
import { sampleMail as uncomposed } from '../../people/mail/samples.ts';

export type { ComposedMail };
export const SAMPLE_LANGUAGES = LANGUAGES;
export const SAMPLE_KINDS: readonly string[] = MAIL_KINDS;

type Look = Pick<Configuration, 'branding' | 'ownMails'>;
export type SampleOf = { readonly kind: string; readonly language: string; readonly to: string };

export function sampleMail(
  issuer: string,
  { branding, ownMails }: Look,
  { kind: name, language, to }: SampleOf,
): Promise<ComposedMail> {
  const kind = MAIL_KINDS.find((one) => one === name);
  if (kind === undefined) throw new Error(`expected a mail, found ${name}`);
  return composeMail({ issuer, branding, ownMails }, uncomposed(issuer, { kind, language, to }));
}

export const mailPreviews = (issuer: string, { branding, ownMails }: Look): MailPreviews => ({
  languages: LANGUAGES,
  compose: async (mail) => {
    const composed = await composeMail({ issuer, branding, ownMails }, mail);
    return { subject: composed.subject, text: composed.text, html: asPage(composed) };
  },
});

/** A browser finds no attachment, so the images are in the page. */
export const asPage = ({ html, images }: ComposedMail): string =>
  images.reduce(
    (page, { hash, type, bytes }) =>
      page.replaceAll(`cid:${hash}`, `data:${type};base64,${Buffer.from(bytes).toString('base64')}`),
    html,
  );
