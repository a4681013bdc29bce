/**
 * A form that is sent once by a double click. The server answers both with one code; but a client that is called with it twice
 * may present it twice, which ends the grant. Without JavaScript, that is what holds.
 */
import { html } from 'ghtml';
import { sha256 } from '../../crypto/digest.ts';
import type { Markup } from './page.ts';

/** A form may be sent again after a while, when the answer did not come, or when the page is shown again from the browser's memory. */
const SCRIPT = `addEventListener('submit',e=>{const f=e.target;if('sent'in f.dataset)return e.preventDefault();f.dataset.sent='';setTimeout(()=>delete f.dataset.sent,5000)});addEventListener('pageshow',()=>{for(const f of document.forms)delete f.dataset.sent})`;

export const sendOnce: Markup = html`<script>!${SCRIPT}</script>`;

/** For `script-src`. */
export const SEND_ONCE_SOURCE = `'sha256-${sha256(SCRIPT).toString('base64')}'`;
