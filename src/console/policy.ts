/** A policy in force. */
import { html } from 'ghtml';
import type { Markup } from '../http/views/page.ts';
import { table } from './components.ts';
import { code, shownText } from './shown-text.ts';

export type Policy = Readonly<Record<string, unknown>> & { readonly name: string };

/** Adds a text beside a number of seconds. */
export function policyOf({ name: title, _links: _, ...values }: Policy): Markup {
  const rows = Object.entries(values);
  return html`<details><summary>${shownText(title)}</summary>
!${table(
    `The policy ${shownText(title)}`,
    [
      { label: 'Key', cell: ([key]: (typeof rows)[number]) => code(key) },
      {
        label: 'Value',
        cell: ([key, value]) =>
          html`${shownText(JSON.stringify(value))} <span class="quiet">${inWords(key, value)}</span>`,
      },
    ],
    rows,
  )}</details>`;
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

function inWords(key: string, value: unknown): string {
  if (!key.endsWith('Seconds') || typeof value !== 'number') return '';
  const [unit, seconds] = UNITS.find(([, size]) => value >= size && value % size === 0) ?? ['second', 1];
  const count = value / seconds;
  return unit === 'second' ? '' : `${count.toLocaleString('en-GB')} ${unit}${count === 1 ? '' : 's'}`;
}
