/** The lifecycle of a code or a refresh token as SVG, with its current state highlighted. */
import { html } from 'ghtml';
import type { Markup } from '../views/page.ts';

const STATES = ['active', 'used', 'revoked'] as const;
/** `ahead` has no box: a token gets there only after a restored backup. */
export type Lit = (typeof STATES)[number] | 'ahead' | null;

export type Lifecycle = {
  readonly title: string;
  readonly lit: Lit;
  /** On the arrows active → used and used → revoked. */
  readonly arrows: readonly [string, string];
};

const WIDTH = 104;
const STEP = 168;

export function diagram({ title, lit, arrows }: Lifecycle): Markup {
  const boxes = STATES.map((state, index) => {
    const x = 4 + index * STEP;
    return html`<g class="${state === lit ? 'state lit' : 'state'}"><rect x="${String(x)}" y="34" width="${String(WIDTH)}" height="40" rx="8"/><text x="${String(x + WIDTH / 2)}" y="59">${state}</text></g>`;
  });
  const lines = arrows.map((label, index) => {
    const x = 4 + WIDTH + index * STEP;
    const end = x + STEP - WIDTH;
    return html`<g class="arrow"><path d="M${String(x)} 54 H${String(end - 7)}"/><path class="tip" d="M${String(end)} 54 l-8 -5 v10 z"/><text x="${String((x + end) / 2)}" y="${index === 0 ? '22' : '98'}">${label}</text></g>`;
  });
  const described = lit === null ? `${title}: none yet` : `${title}: ${lit}`;
  return html`<figure><svg viewBox="0 0 448 108" role="img" aria-label="${described}">!${boxes.join('')}!${lines.join('')}</svg><figcaption>${described}</figcaption></figure>`;
}
