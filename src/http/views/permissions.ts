/** The predecessor of the account pages: the allowed apps and the sessions of the end-user, on one page. */
import { html } from 'ghtml';
import type { Look } from '../look.ts';
import { type AppsView, apps } from './account/apps.ts';
import { type DevicesView, devices } from './account/devices.ts';
import { emphasised } from './filled.ts';
import { page } from './page.ts';

export type PermissionsView = Pick<AppsView, 'csrf' | 'allowed' | 'more'> &
  Pick<DevicesView, 'browsers'> & {
    /** The URLs of the forms. */
    readonly endAccess: string;
    readonly endSession: string;
    readonly username: string;
    /** The kind of access that the previous form ended. Null: none. */
    readonly justEnded: 'access' | 'session' | null;
    readonly signOut: string;
    readonly account: string;
  };

export function permissionsPage(look: Look, view: PermissionsView): string {
  const { account, accountApps, accountDevices } = look.words;
  const ended = { access: accountApps.ended, session: accountDevices.done.one };
  return page(
    look,
    accountApps.title,
    html`<h1>${accountApps.title}</h1>
<p class="quiet">!${emphasised(account.signedInAs, { username: view.username })} <a href="${view.signOut}">${account.signOut}</a>. <a href="${view.account}">${account.title}</a></p>
!${view.justEnded === null ? '' : html`<p class="done" role="status">${ended[view.justEnded]}</p>`}
!${apps(look, { ...view, end: view.endAccess })}
<h2>${account.sections.devices.title}</h2>
!${devices(look, { ...view, end: view.endSession, endOthers: null })}`,
    { wide: true },
  );
}
