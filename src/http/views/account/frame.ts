/** The frame of every page of the account, with the navigation. */
import { html } from 'ghtml';
import type { Look } from '../../look.ts';
import { emphasised } from '../filled.ts';
import { alert, type Markup, page } from '../page.ts';

export type SectionId = keyof Look['words']['account']['sections'];

export type AccountFrame = {
  readonly look: Look;
  readonly username: string;
  readonly overview: string;
  readonly signOut: string;
  readonly sections: readonly { readonly id: SectionId; readonly href: string }[];
  /** The section on the page. Null: the overview. */
  readonly current: SectionId | null;
};

export type AccountBody = {
  /** The result of the last action. Absent: none. */
  readonly done?: string | null;
  /** The reason why the last action failed. Absent: it did not. */
  readonly problem?: string | null;
  readonly content: Markup | ((frame: AccountFrame) => Markup);
};

export function accountPage(frame: AccountFrame, { done = null, problem = null, content }: AccountBody): string {
  const { look, username, signOut, current } = frame;
  const words = look.words.account;
  const title = current === null ? words.title : words.sections[current].title;
  return page(
    look,
    title,
    html`<div class="account">
!${navigation(frame)}
<div>
<h1>${title}</h1>
<p class="quiet">!${emphasised(words.signedInAs, { username })} <a href="${signOut}">${words.signOut}</a></p>
!${done === null ? '' : html`<p class="done" role="status">${done}</p>`}
!${alert(problem)}
!${typeof content === 'function' ? content(frame) : content}
</div>
</div>`,
    { wide: true },
  );
}

function navigation({ look, overview, sections, current }: AccountFrame): Markup {
  const words = look.words.account;
  return html`<nav class="sections" aria-label="${words.navigation}">
<ul>
<li><a href="${overview}" !${current === null ? 'aria-current="page"' : ''}>${words.overview}</a></li>
!${sections.map(({ id, href }) => html`<li><a href="${href}" !${id === current ? 'aria-current="page"' : ''}>${words.sections[id].title}</a></li>`).join('\n')}
</ul>
</nav>`;
}
