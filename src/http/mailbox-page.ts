/** The unsent mails, for developers, on their own machine, and in English only. */
import { html } from 'ghtml';
import type { Look } from './look.ts';
import type { ComposedMail } from './views/mail.ts';
import { type Markup, page } from './views/page.ts';

type Kept = ComposedMail & { readonly at: Date };

export const mailboxPage = (look: Look, mails: readonly Kept[]): string =>
  page(
    { ...look, language: 'en', direction: 'ltr' },
    'Mail',
    html`<h1>Mail</h1>
<p class="quiet">What this server would have sent, newest first. The list ends with the process. Set STATEHOUSE_SMTP_URL to send mails.</p>
!${mails.length === 0 ? html`<p>Nothing yet.</p>` : mails.map(mail).join('\n')}`,
    { wide: true },
  );

const mail = ({ to, subject, text, language, at }: Kept): Markup => html`<article lang="${language}">
<h2>${subject}</h2>
<p class="quiet">To ${to}, <time datetime="${at.toISOString()}">${at.toISOString()}</time></p>
!${text
  .split('\n\n')
  .map((paragraph) => html`<p>!${paragraph.split('\n').map(line).join('<br>')}</p>`)
  .join('\n')}
</article>`;

const line = (text: string): Markup =>
  /^https?:\/\/\S+$/.test(text) ? html`<a href="${text}">${text}</a>` : html`${text}`;
