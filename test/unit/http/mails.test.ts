/** Mails have the look of the team, in every language, and the team's own texts where `mails.yaml` has them. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MAIL_PLACEHOLDERS, SHIPPED_LANGUAGES } from '../../../policies/mails-schema.ts';
import { SAMPLE_KINDS, sampleMail } from '../../../src/boot/mail/sample-mails.ts';
import { type Branding, NO_BRANDING } from '../../../src/config/branding.ts';
import type { Configuration } from '../../../src/config/configuration.ts';
import { composeMail } from '../../../src/http/views/mail.ts';
import { messagesIn, parsed } from '../../../src/http/words/catalogue.ts';
import { LANGUAGES } from '../../../src/http/words/languages.ts';
import type { Image } from '../../../src/model/image.ts';

const ISSUER = 'https://login.example';
const LOGO: Image = { hash: 'logo', type: 'image/png', bytes: Buffer.from('logo') };
const BRANDING: Branding = {
  ...NO_BRANDING,
  organization: 'Müller & <Söhne>',
  logo: LOGO,
  mailLogo: LOGO,
  accentColor: { light: '#7a1fa2', dark: '#e0b0ff' },
  background: { light: '#f6eefa', dark: '#000000' },
  cornerRadius: 3,
  links: { help: 'https://example.com/help?a=1&b=2' },
  footer: 'Main Street 1, <Town>',
};

type Change = { readonly branding?: Branding; readonly ownMails?: Configuration['ownMails'] };
const mailOf = (kind: string, language = 'en', { branding = NO_BRANDING, ownMails = [] }: Change = {}) =>
  sampleMail(ISSUER, { branding, ownMails }, { kind, language, to: 'alice@example.com' });

const own = (change: Partial<Configuration['ownMails'][number]>): Configuration['ownMails'] => [
  { mail: 'reset_password', language: 'en', ...change },
];

const PASSWORDS = /password|Passwort|contraseña|mot de passe|كلمة/i;

describe.each(LANGUAGES)('in %s', (tag) => {
  // Behind the link there may be a passkey instead, and the address may be the username.
  it.each(['sign_up', 'invitation'])('%s promises no username and no password', async (kind) => {
    expect((await mailOf(kind, tag)).text).not.toMatch(PASSWORDS);
    expect((await mailOf('password_changed', tag)).text).toMatch(PASSWORDS);
  });

  it.each(SAMPLE_KINDS)(
    '%s has a subject, its link or code alone in a paragraph, and no unfilled placeholder',
    async (kind) => {
      const { subject, text, html, language } = await mailOf(kind, tag, { branding: BRANDING });
      expect(language).toBe(tag);
      expect(subject).toMatch(/\p{L}/u);
      expect(text).toMatch(kind === 'mailed_code' ? /\n\n1234 5678\n\n/ : /\n\nhttps:\/\/login\.example\/\S+\n\n/);
      expect(`${subject}${text}${html}`).not.toMatch(/[{}]/);
      expect(html).toContain(`<html lang="${tag}" dir="${tag === 'ar' ? 'rtl' : 'ltr'}">`);
      expect(html).toContain(`<td align="${tag === 'ar' ? 'right' : 'left'}"`);
    },
  );
});

it('mails.yaml knows every mail, with the arguments of its English text', () => {
  const english = messagesIn(readFileSync(new URL('../../../src/http/words/en.json', import.meta.url), 'utf8'));
  const ofEach = SAMPLE_KINDS.map((kind) => {
    const { takes } = parsed('en', english.get(`mail.contents.${kind}.body`) ?? '');
    return [kind, [...takes.keys()].toSorted()] as const;
  });
  const known = Object.entries(MAIL_PLACEHOLDERS).map(([kind, names]) => [kind, names.toSorted()] as const);
  expect(new Map(known)).toEqual(new Map(ofEach));
  expect(Object.values(MAIL_PLACEHOLDERS).every(([first]) => first === 'link' || first === 'code')).toBe(true);
});

it('the shipped languages of mails.yaml are those of the catalogues', () => {
  expect(SHIPPED_LANGUAGES).toEqual(LANGUAGES);
});

describe('the look', () => {
  it('has name, logo, colours, corners, links and footer of the team', async () => {
    const { html, text, organization, images } = await mailOf('reset_password', 'en', { branding: BRANDING });
    expect(html).toContain('<img src="cid:logo" alt="" height="40"');
    expect(html).toContain('Müller &#38; &#60;Söhne&#62;</span>');
    expect(html).toMatch(
      /<td bgcolor="#7a1fa2" style="border-radius: 3px">\s*<a href="https:\/\/login\.example\/email/,
    );
    expect(html).toContain('<body style="margin: 0; padding: 0; background: #f6eefa">');
    expect(html).toContain('<a href="https://example.com/help?a&#61;1&#38;b&#61;2"');
    expect(html).toContain('Main Street 1, &#60;Town&#62;');
    expect(text).toMatch(/\n-- \nMüller & <Söhne>\nlogin\.example sent .*\nMain Street 1, <Town>\n$/);
    expect({ organization, images }).toEqual({ organization: 'Müller & <Söhne>', images: [LOGO] });
  });

  it('has a wordmark in place of logo and name', async () => {
    const branding = { ...BRANDING, logo: null, wordmark: { light: LOGO, dark: LOGO } };
    const { html } = await mailOf('reset_password', 'en', { branding });
    expect(html).toContain('<img src="cid:logo" alt="Müller &#38; &#60;Söhne&#62;" height="40"');
    expect(html).not.toContain('</span>');
  });

  it('has only the name where no image is one that mail clients show', async () => {
    const { html, images } = await mailOf('reset_password', 'en', { branding: { ...BRANDING, mailLogo: null } });
    expect(html).toContain('Söhne&#62;</span>');
    expect(html).not.toContain('<img');
    expect(images).toEqual([]);
  });

  it('has no header without branding, and loads nothing from any server', async () => {
    const plain = await mailOf('reset_password');
    expect(plain.html).not.toContain('<span');
    const branded = await mailOf('reset_password', 'en', { branding: BRANDING });
    for (const { html } of [plain, branded]) expect(html).not.toMatch(/src="(?!cid:)|url\(|<link|<script|<style/i);
  });
});

describe('a text of the team', () => {
  const ownMails = own({
    subject: 'A password for {organization}',
    text: 'Dear {username},\n\nChoose it at {organization}:\n\n{link}\n\nBye.\n',
    button: 'Choose',
  });

  it('replaces subject, text and button', async () => {
    const { subject, text, html } = await mailOf('reset_password', 'en', { branding: BRANDING, ownMails });
    expect(subject).toBe('A password for Müller & <Söhne>');
    expect(text).toContain(
      'Dear alice,\n\nChoose it at Müller & <Söhne>:\n\nhttps://login.example/email/link?t=sample\n\n',
    );
    expect(html).toMatch(/>Choose<\/a>/);
    expect(html).toContain('<p style="margin: 0 0 16px">Bye.</p>');
  });

  it('leaves other languages, other mails and the rest of the mail as they are', async () => {
    for (const [kind, language] of [
      ['reset_password', 'de'],
      ['sign_up', 'en'],
    ] as const) {
      expect(await mailOf(kind, language, { ownMails })).toEqual(await mailOf(kind, language));
    }
    const shipped = await mailOf('reset_password');
    const { text, html, subject } = await mailOf('reset_password', 'en', { ownMails: own({ button: 'Go' }) });
    expect({ text, subject }).toEqual({ text: shipped.text, subject: shipped.subject });
    expect(html).toBe(shipped.html.replace('>Open the link<', '>Go<'));
  });

  it('names the host where the team has no name', async () => {
    const { subject } = await mailOf('reset_password', 'en', { ownMails });
    expect(subject).toBe('A password for login.example');
  });

  it('fills no placeholder of a value, and escapes the value', async () => {
    const { text, html } = await composeMail(
      { issuer: ISSUER, branding: NO_BRANDING, ownMails },
      {
        to: 'a@example.com',
        userId: null,
        languages: ['en-GB'],
        timeZone: null,
        content: {
          kind: 'reset_password',
          username: '{link}<b>',
          link: 'https://login.example/l',
          lifetimeSeconds: 60,
        },
      },
    );
    expect(text).toContain('Dear {link}<b>,');
    expect(html).not.toContain('<b>');
  });
});
