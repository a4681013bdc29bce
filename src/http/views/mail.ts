/**
 * A mail: plain text, and the same as HTML with the look of the team. The HTML loads no resource, so no server learns
 * that the mail was opened: the logo is in the mail (docs/decisions/0086).
 */
import { html } from 'ghtml';
import { type Branding, COLORS } from '../../config/branding.ts';
import type { Configuration } from '../../config/configuration.ts';
import type { Image } from '../../model/image.ts';
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
  /** The name of the team, for a sender without a name. Null: unknown. */
  readonly organization: string | null;
  /** The images that the HTML names, as `cid:` and the hash. */
  readonly images: readonly Image[];
};

export type MailLook = {
  /** Names the server at the end of the mail. */
  readonly issuer: string;
} & Pick<Configuration, 'branding' | 'ownMails'>;

export async function composeMail(look: MailLook, { to, languages, timeZone, content }: Mail): Promise<ComposedMail> {
  const { tag, locale } = chooseLanguage(languages);
  const language = await languageOf(tag);
  const { words } = language;
  const { issuer, branding, ownMails } = look;
  const own = ownMails.find((one) => one.mail === content.kind && one.language === tag);
  const values = valuesOf(look, words, content, (at) => instantIn(locale, timeZone, at));
  const { subject, body } = words.mail.contents[content.kind];
  const parts = {
    // A header has one line.
    subject: filled(own?.subject ?? subject, values).replaceAll(/\s+/g, ' '),
    ...paragraphs(own?.text === undefined ? body(values) : filled(own.text.trim(), values), mainOf(content).text),
    greeting: greetingOf(words, content),
    main: mainOf(content),
    button: filled(own?.button ?? words.mail.openLink, values),
    goodFor: goodForOf(words, locale, content),
    footer: words.mail.footer({ server: new URL(issuer).host }),
  };
  return {
    to,
    subject: parts.subject,
    text: plain(branding, parts),
    html: markup(branding, language, parts),
    language: tag,
    organization: branding.organization,
    images: branding.mailLogo ? [branding.mailLogo] : [],
  };
}

type Parts = {
  readonly subject: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly greeting: string;
  readonly main: Main;
  readonly button: string;
  readonly goodFor: string | null;
  readonly footer: string;
};

/** The paragraph that the mail is for: the link, or the code to type. */
type Main = { readonly kind: 'link' | 'code'; readonly text: string };

const valuesOf = (
  { issuer, branding }: MailLook,
  words: Words,
  content: MailContent,
  at: (instant: Date) => string,
) => ({
  link: mainOf(content).text,
  code: mainOf(content).text,
  username: 'username' in content ? content.username : '',
  at: 'at' in content ? at(content.at) : '',
  browser: 'userAgent' in content ? browserName(content.userAgent, words.browser) : '',
  usernames: content.kind === 'has_account' ? content.usernames.join(', ') : '',
  forgot: content.kind === 'has_account' ? content.forgot : '',
  organization: branding.organization ?? new URL(issuer).host,
});

/** A placeholder in a value stays as it is. */
const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder);

/** It is a paragraph of its own. A text with the link inside has the link after it too. */
function paragraphs(text: string, main: string): Pick<Parts, 'before' | 'after'> {
  const all = text.split(/\n{2,}/).map((paragraph) => paragraph.trim());
  const place = all.includes(main) ? all.indexOf(main) : all.length;
  return { before: all.slice(0, place), after: all.slice(place + 1) };
}

const greetingOf = ({ mail }: Words, content: MailContent): string =>
  'username' in content ? mail.greeting({ username: content.username }) : mail.greetingWithoutName;

function mainOf(content: MailContent): Main {
  if (content.kind === 'mailed_code') return { kind: 'code', text: content.code };
  return { kind: 'link', text: linkOf(content) };
}

function goodForOf({ mail }: Words, locale: string, content: MailContent): string | null {
  if (!('lifetimeSeconds' in content)) return null;
  const duration = durationIn(locale, content.lifetimeSeconds);
  return content.kind === 'mailed_code' ? mail.codeGoodFor({ duration }) : mail.goodFor({ duration });
}

function linkOf(content: Exclude<MailContent, { readonly kind: 'mailed_code' }>): string {
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

const plain = (
  { organization, footer: address }: Branding,
  { greeting, before, main, goodFor, after, footer }: Parts,
): string => {
  const signature = [organization, footer, address].filter((line) => line !== null).join('\n');
  const paragraphs = [greeting, ...before, main.text, ...(goodFor === null ? [] : [goodFor]), ...after];
  return `${paragraphs.join('\n\n')}\n\n-- \n${signature}\n`;
};

const FONT = 'font-family: system-ui, -apple-system, &quot;Segoe UI&quot;, Roboto, Arial, sans-serif';
/** Of the light pages: mail clients that darken mails do so themselves. */
const { page: PAGE, card: CARD, text: TEXT, quiet: QUIET, accent: ACCENT } = COLORS.light;
const RADIUS_PIXELS = 8;

/** Tables and inline styles: Outlook on Windows knows nothing else, and web mail drops the element `style`. */
const markup = (
  branding: Branding,
  { tag, direction, words }: Language,
  { subject, greeting, before, main, button, goodFor, after, footer }: Parts,
): string => {
  const page = branding.background?.light ?? PAGE;
  const accent = branding.accentColor?.light ?? ACCENT;
  const radius = branding.cornerRadius ?? RADIUS_PIXELS;
  const side = direction === 'rtl' ? 'right' : 'left';
  const small = `font-size: 14px; line-height: 1.5; color: ${QUIET}`;
  return html`<!doctype html>
<html lang="${tag}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light">
<title>${subject}</title>
</head>
<body style="margin: 0; padding: 0; background: ${page}">
<table role="presentation" lang="${tag}" dir="${direction}" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="${page}" style="!${FONT}">
<tr><td align="center" style="padding: 24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width: 560px; color: ${TEXT}; font-size: 16px; line-height: 1.5">
!${header(branding, side)}<tr><td align="${side}" bgcolor="${CARD}" style="padding: 28px 28px 12px; border-radius: ${radius * 1.5}px; overflow-wrap: anywhere">
<p style="!${MARGIN}">${greeting}</p>
!${before.map(paragraph).join('\n')}
!${main.kind === 'code' ? codeMarkup(main.text) : linkMarkup(main.text, button, { accent, radius, small })}
!${goodFor === null ? '' : paragraph(goodFor)}
!${after.map(paragraph).join('\n')}
</td></tr>
<tr><td align="${side}" style="padding: 20px 28px; ${small}">
<p style="!${MARGIN}">${footer}</p>
!${links(branding, words)}!${branding.footer === null ? '' : html`<p style="!${MARGIN}">${branding.footer}</p>`}
</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`;
};

const codeMarkup = (code: string): Markup =>
  html`<p dir="ltr" style="!${MARGIN}; font-size: 26px; letter-spacing: 3px">${code}</p>`;

type ButtonStyle = { readonly accent: string; readonly radius: number; readonly small: string };
const linkMarkup = (link: string, button: string, { accent, radius, small }: ButtonStyle): Markup =>
  html`<table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr><td bgcolor="${accent}" style="border-radius: ${radius}px">
<a href="${link}" style="display: inline-block; padding: 11px 24px; color: #ffffff; font-weight: 600; text-decoration: none">${button}</a>
</td></tr></table>
<p style="margin: 12px 0 16px; ${small}"><a href="${link}" dir="ltr" style="color: ${accent}">${link}</a></p>`;

const MARGIN = 'margin: 0 0 16px';

/** The name stands beside the logo, so the logo itself needs no text. A wordmark is the name. */
function header({ organization, wordmark, mailLogo }: Branding, side: 'left' | 'right'): Markup {
  if (organization === null && mailLogo === null) return '';
  const isWordmark = wordmark !== null && mailLogo !== null;
  const alt = isWordmark ? organization : '';
  const image =
    mailLogo === null
      ? ''
      : html`<img src="cid:${mailLogo.hash}" alt="${alt ?? ''}" height="40" style="height: 40px; vertical-align: middle; border: 0">`;
  const name =
    isWordmark || organization === null ? '' : html`<span style="vertical-align: middle">${organization}</span>`;
  return html`<tr><td align="${side}" style="padding: 0 28px 16px; font-size: 18px; font-weight: 600">!${[image, name].filter((part) => part !== '').join('&nbsp; ')}</td></tr>
`;
}

function links({ links: targets }: Branding, words: Words): Markup {
  const shown = (['help', 'terms', 'privacy'] as const).flatMap((name) => {
    const href = targets[name];
    return href === undefined ? [] : [html`<a href="${href}" style="color: ${QUIET}">${words.frame[name]}</a>`];
  });
  return shown.length === 0 ? '' : html`<p style="!${MARGIN}">!${shown.join(' &nbsp; ')}</p>`;
}

/** A URL that stands alone on a line becomes a link. */
const paragraph = (text: string): Markup =>
  html`<p style="!${MARGIN}">!${text
    .split('\n')
    .map((line) => (/^https?:\/\/\S+$/.test(line) ? html`<a href="${line}">${line}</a>` : html`${line}`))
    .join('<br>')}</p>`;
