import { html } from 'ghtml';
import type { Markup } from '../page.ts';
import type { AccountFrame } from './frame.ts';

export const overview = ({ look, sections }: AccountFrame): Markup => html`<ul class="overview">
!${sections
  .map(
    ({ id, href }) => html`<li>
<h2><a href="${href}">${look.words.account.sections[id].title}</a></h2>
<p class="quiet">${look.words.account.sections[id].about}</p>
</li>`,
  )
  .join('\n')}
</ul>`;
