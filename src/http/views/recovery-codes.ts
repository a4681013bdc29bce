/** The recovery codes, which the server shows once. A script adds the buttons that copy, download and print them. */
import { readFileSync } from 'node:fs';
import { html } from 'ghtml';
import { sha256 } from '../../crypto/digest.ts';
import type { Look } from '../look.ts';
import { filled } from './filled.ts';
import { day } from './instants.ts';
import { page } from './page.ts';

const SCRIPT = readFileSync(new URL('./recovery-codes-in-page.js', import.meta.url), 'utf8');
/** For `script-src`. */
export const RECOVERY_CODES_SCRIPT_SOURCE = `'sha256-${sha256(SCRIPT).toString('base64')}'`;

export type RecoveryCodesView = {
  readonly codes: readonly string[];
  readonly username: string;
  /** The name of the service, and its host for the name of the file. */
  readonly service: { readonly name: string; readonly host: string };
  readonly madeAt: Date;
  /** The first password of an account without one: the page says how the codes help with it. Null: the account has a password. */
  readonly firstPassword: 'byMail' | 'inAccount' | null;
  /** A form, or a link, that continues. */
  readonly goOn: { readonly action: string; readonly csrf: string } | { readonly href: string };
};

export function recoveryCodesPage(look: Look, view: RecoveryCodesView): string {
  const words = look.words.factor.codes;
  const { codes, username, service, madeAt, firstPassword, goOn } = view;
  const about = filled(words.of, {
    username: html`<strong>${username}</strong>`,
    service: html`<strong>${service.name}</strong>`,
    date: day(look, madeAt),
  });
  return page(
    look,
    words.title,
    html`<h1>${words.title}</h1>
<p>${words.what}</p>
!${firstPassword === null ? '' : html`<p>${firstPassword === 'byMail' ? words.withoutPassword : words.withoutPasswordAndAddress}</p>`}
<section class="codes" data-codes>
<p class="quiet">!${about}</p>
<ul class="codes">
!${codes.map((code) => html`<li><code>${code}</code></li>`).join('\n')}
</ul>
</section>
<div class="choices" data-codes-file="recovery-codes-${service.host}.txt" hidden>
!${(['copy', 'download', 'print'] as const)
      .map((does) => html`<button type="button" class="secondary" data-does="${does}">${words[does]}</button>`)
      .join('\n')}
</div>
<p class="quiet" role="status" data-copied="${words.copied}"></p>
!${
      'href' in goOn
        ? html`<p><a href="${goOn.href}">${words.goOn}</a></p>`
        : html`<form method="post" action="${goOn.action}">
<input type="hidden" name="csrf" value="${goOn.csrf}">
<button type="submit">${words.goOn}</button>
</form>`
    }
<script>!${SCRIPT}</script>`,
  );
}
