/** Instants in the user's locale and time zone, with the name of the zone. */
import { html } from 'ghtml';
import type { Look } from '../look.ts';
import type { Markup } from './page.ts';

const DAY = { year: 'numeric', month: 'long', day: 'numeric' } as const;
const MINUTE = { ...DAY, hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const;

/** Making a format costs more than the rest of a page. Locales come from outside, so the cache is bounded. */
const formats = new Map<string, Intl.DateTimeFormat>();
const MAX_KEPT = 200;

function formatOf(locale: string, timeZone: string, form: 'day' | 'minute'): Intl.DateTimeFormat {
  const key = `${form} ${timeZone} ${locale}`;
  const known = formats.get(key);
  if (known) return known;
  if (formats.size >= MAX_KEPT) formats.clear();
  const format = new Intl.DateTimeFormat(locale, { ...(form === 'day' ? DAY : MINUTE), timeZone });
  formats.set(key, format);
  return format;
}

const time = ({ locale, timeZone }: Look, instant: Date, form: 'day' | 'minute'): Markup =>
  html`<time datetime="${instant.toISOString()}">${formatOf(locale, timeZone, form).format(instant)}</time>`;

/** Such as "5 July 2026". */
export const day = (look: Look, instant: Date): Markup => time(look, instant, 'day');

/** Such as "5 July 2026 at 14:05 UTC". */
export const minute = (look: Look, instant: Date): Markup => time(look, instant, 'minute');

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
] as const;

/** Such as "30 days": in the largest exact unit, and else in minutes, rounded down. Plain text. */
export function timeSpan({ locale }: Look, seconds: number): string {
  const [unit, length] = UNITS.find(([, length]) => seconds % length === 0) ?? ['minute', 60];
  const style = { style: 'unit', unit, unitDisplay: 'long' } as const;
  return new Intl.NumberFormat(locale, style).format(Math.floor(seconds / length));
}
