/**
 * A mail: plain text, and the same as simple HTML. The HTML loads no resource, so no server learns that the mail was
 * opened.
 */
import { html } from 'ghtml';
import type { Mail, MailContent } from '../../people/mail/mail.ts';
import { chooseLanguage, type Language, languageOf } from '../words/languages.ts';
import type { Words } from '../words/words.ts';
import { browserName } from './browser-name.ts';
import type { Markup } from './page.ts';

export type ComposedMail = {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** BCP 47. */
  readonly language: string;
};

/** @param issuer names the server at the end of the mail. */
export async function composeMail(issuer: string, { to, languages, timeZone, content }: Mail): Promise<ComposedMail> {
  const { tag, locale } = chooseLanguage(languages);
  const language = await languageOf(tag);
  const { words } = language;
  const parts = {
    ...textOf(words, content, (at) => instantIn(locale, timeZone, at)),
    greeting: greetingOf(words, content),
    link: linkOf(content),
    goodFor:
      'lifetimeSeconds' in content
        ? words.mail.goodFor({ duration: durationIn(locale, content.lifetimeSeconds) })
        : null,
    footer: words.mail.footer({ server: new URL(issuer).host }),
  };
  // A header has one line.
  const subject = parts.subject.replaceAll(/\s+/g, ' ');
  return { to, subject, text: plain(parts), html: markup(language, { ...parts, subject }), language: tag };
}

type Parts = {
  readonly subject: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly greeting: string;
  readonly link: string;
  readonly goodFor: string | null;
  readonly footer: string;
};

function textOf(
  { mail: { contents }, ...words }: Words,
  content: MailContent,
  at: (instant: Date) => string,
): Pick<Parts, 'subject' | 'before' | 'after'> {
  const { subject, body } = contents[content.kind];
  const link = linkOf(content);
  const paragraphs = body({
    link,
    username: 'username' in content ? content.username : '',
    at: 'at' in content ? at(content.at) : '',
    browser: content.kind === 'new_device' ? browserName(content.userAgent, words.browser) : '',
    usernames: content.kind === 'has_account' ? content.usernames.join(', ') : '',
    forgot: content.kind === 'has_account' ? content.forgot : '',
  }).split(/\n{2,}/);
  // The link is a paragraph of its own. A text with the link inside has the link after it too.
  const place = paragraphs.includes(link) ? paragraphs.indexOf(link) : paragraphs.length;
  return { subject, before: paragraphs.slice(0, place), after: paragraphs.slice(place + 1) };
}

const greetingOf = ({ mail }: Words, content: MailContent): string =>
  'username' in content ? mail.greeting({ username: content.username }) : mail.greetingWithoutName;

function linkOf(content: MailContent): string {
  if ('link' in content) return content.link;
  if ('devices' in content) return content.devices;
  return 'signIn' in content ? content.signIn : content.forgot;
}

function instantIn(locale: string, timeZone: string | null, at: Date): string {
  const form = { dateStyle: 'long', timeStyle: 'long' } as const;
  try {
    return new Intl.DateTimeFormat(locale, { ...form, timeZone: timeZone ?? 'UTC' }).format(at);
  } catch {
    // An import may have put any value into the claim `zoneinfo`.
    return new Intl.DateTimeFormat(locale, { ...form, timeZone: 'UTC' }).format(at);
  }
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** In the largest unit that fits: "30 minutes", "7 days". */
function durationIn(locale: string, seconds: number): string {
  const [unit, size] = UNITS.find(([, of]) => seconds % of === 0 && seconds >= of) ?? (['second', 1] as const);
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(seconds / size);
}

const plain = ({ greeting, before, link, goodFor, after, footer }: Parts): string =>
  [greeting, ...before, link, ...(goodFor === null ? [] : [goodFor]), ...after, '-- ', footer]
    .join('\n\n')
    .replace('-- \n\n', '-- \n')
    .concat('\n');

const STYLE = 'font-family: sans-serif; line-height: 1.5; max-width: 36em';

const markup = (
  { tag, direction }: Language,
  { subject, greeting, before, link, goodFor, after, footer }: Parts,
): string =>
  html`<!doctype html>
<html lang="${tag}" dir="${direction}">
<head><meta charset="utf-8"><title>${subject}</title></head>
<body style="${STYLE}">
<p>${greeting}</p>
!${before.map(paragraph).join('\n')}
<p><a href="${link}">${link}</a></p>
!${goodFor === null ? '' : paragraph(goodFor)}
!${after.map(paragraph).join('\n')}
<p style="color: #666">${footer}</p>
</body>
</html>
`;

/** A URL that stands alone on a line becomes a link. */
const paragraph = (text: string): Markup =>
  html`<p>!${text
    .split('\n')
    .map((line) => (/^https?:\/\/\S+$/.test(line) ? html`<a href="${line}">${line}</a>` : html`${line}`))
    .join('<br>')}</p>`;
