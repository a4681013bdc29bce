import { html } from 'ghtml';
import type { ConsentView as AskedConsent } from '../../protocol/interaction.ts';
import type { Look } from '../look.ts';
import { accessList } from './access.ts';
import { emphasised } from './filled.ts';
import { timeSpan } from './instants.ts';
import { type Markup, page } from './page.ts';
import { sendOnce } from './send-once.ts';

export type ConsentView = Pick<
  AskedConsent,
  | 'clientName'
  | 'username'
  | 'describedAt'
  | 'registeredItself'
  | 'onThisDevice'
  | 'access'
  | 'whileAway'
  | 'rememberedForSeconds'
> & {
  readonly action: string;
  readonly csrf: string;
  /** The destination of the response, as a host or an app's scheme, for the end-user to judge. */
  readonly destination: string;
  /** URL of an image of this server. Null: the page shows none. */
  readonly logo: string | null;
  readonly terms: string | null;
  readonly policy: string | null;
  readonly switchUser: string;
};

export function consentPage(look: Look, view: ConsentView): string {
  const words = look.words.consent;
  const said = { here: words.wants, at: words.wantsAt, inAt: words.wantsInAt };
  return page(
    look,
    words.title({ client: view.clientName }),
    html`!${view.logo === null ? '' : html`<img class="logo" src="${view.logo}" alt="" width="64" height="64">`}
<h1>${words.title({ client: view.clientName })}</h1>
!${view.access.map((access) => accessList(look.words, access, said)).join('')}
<p>${view.whileAway ? look.words.access.whileAway : look.words.access.notWhileAway}</p>
!${view.rememberedForSeconds === null ? '' : html`<p>${words.rememberedFor({ time: timeSpan(look, view.rememberedForSeconds) })}</p>`}
!${destinationOf(look, view)}
!${about(look, view)}
!${view.onThisDevice ? onThisDevice(look) : ''}
<form method="post" action="${view.action}">
<input type="hidden" name="csrf" value="${view.csrf}">
<div class="choices">
<button type="submit" name="decision" value="approve" !${view.onThisDevice ? 'aria-describedby="on-this-device"' : ''}>${words.allow}</button>
<button type="submit" name="decision" value="deny" class="second">${words.deny}</button>
</div>
</form>
<p class="quiet">!${emphasised(words.signedInAs, { username: view.username })} <a href="${view.switchUser}">${words.switchUser}</a></p>
!${sendOnce}`,
  );
}

/** RFC 7591 §2: the server SHOULD display them. */
function about({ words: { consent } }: Look, { clientName, terms, policy }: ConsentView): Markup {
  const links = [
    ...(terms === null ? [] : [html`<a href="${terms}">${consent.terms({ client: clientName })}</a>`]),
    ...(policy === null ? [] : [html`<a href="${policy}">${consent.policy({ client: clientName })}</a>`]),
  ];
  return links.length === 0
    ? ''
    : html`<ul class="about quiet">!${links.map((link) => html`<li>!${link}</li>`).join('')}</ul>`;
}

/**
 * The destination of the answer. CIMD §8.5: with the host of a client that no operator vetted, beside the name that it gave
 * itself. RFC 7591 §5: a client that registered itself has none.
 */
function destinationOf(
  { words: { consent } }: Look,
  { destination, describedAt, registeredItself }: ConsentView,
): Markup {
  if (describedAt === null && !registeredItself)
    return html`<p class="quiet">!${emphasised(consent.sentTo, { destination })}</p>`;
  const says =
    describedAt === null
      ? emphasised(consent.registeredItself, { destination })
      : emphasised(consent.describesItself, { origin: describedAt, destination });
  return html`<p class="warning" id="unvetted"><strong>${consent.unvetted}</strong> !${says}</p>`;
}

/**
 * RFC 8252 §8.6: a redirect URI on the device itself does not identify the client, so the end-user decides. The MCP
 * authorization specification requires this warning when all redirect URIs are loopback URIs.
 */
const onThisDevice = ({ words: { consent } }: Look): Markup =>
  html`<p class="warning" id="on-this-device"><strong>${consent.startedThis}</strong> ${consent.onThisDevice}</p>`;
