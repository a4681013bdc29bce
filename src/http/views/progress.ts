/** The place of a page in a way of several pages. Only where their number is known, and reveals nothing about an account. */
import { html } from 'ghtml';
import type { Look } from '../look.ts';
import type { Markup } from './page.ts';

export type Progress = { readonly step: number; readonly steps: number };

/** @param at null: the page shows none. */
export const progressLine = ({ words }: Look, at: Progress | null): Markup =>
  at === null ? '' : html`<p class="quiet">${words.progress.step(at)}</p>`;
