/**
 * A form that a double click sends once. The server answers both requests with one code, but a client that receives it
 * twice may present it twice, which ends the grant. The server's answer is the protection without JavaScript.
 */
import { html } from 'ghtml';
import { sha256 } from '../../crypto/digest.ts';
import type { Markup } from './page.ts';

/**
 * The user may send a form again after a while, when the response did not arrive, or when the browser shows the page
 * from its cache.
 */
const SCRIPT = `addEventListener('submit',e=>{const f=e.target;if('sent'in f.dataset)return e.preventDefault();f.dataset.sent='';setTimeout(()=>delete f.dataset.sent,5000)});addEventListener('pageshow',()=>{for(const f of document.forms)delete f.dataset.sent})`;

export const sendOnce: Markup = html`<script>!${SCRIPT}</script>`;

/** For `script-src`. */
export const SEND_ONCE_SOURCE = `'sha256-${sha256(SCRIPT).toString('base64')}'`;
