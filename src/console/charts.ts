/** The time series of the overview: a small chart for each, and all of them as a table. Without a script. */
import { html } from 'ghtml';
import type { Markup } from '../http/views/page.ts';
import type { Document } from '../management/client/documents.ts';
import { link, table, time, withQuery } from './components.ts';
import { shownNumber } from './numbers.ts';
import type { Viewer } from './shown.ts';

export type Statistics = Document<'GET', '/statistics'>;
export type Bucket = Statistics['buckets'][number];

type Series = {
  readonly label: string;
  /** Null: the bucket has no number. */
  readonly of: (bucket: Bucket) => number | null;
  /** The number above the chart: their sum, or the newest one. */
  readonly shown: 'sum' | 'newest';
  readonly unit?: string;
  readonly isTrouble?: true;
};

const SERIES: readonly Series[] = [
  { label: 'Sign-ins', of: ({ sign_ins: n }) => n, shown: 'sum' },
  { label: 'Failed sign-ins', of: ({ failed_sign_ins: n }) => n, shown: 'sum', isTrouble: true },
  { label: 'New end-users', of: ({ new_users: n }) => n, shown: 'sum' },
  { label: 'Active chains', of: ({ active_chains: n }) => n, shown: 'newest' },
  { label: 'Rotated refresh tokens', of: ({ rotations: n }) => n, shown: 'sum' },
  { label: 'Detected reuse', of: ({ reuse_detections: n }) => n, shown: 'sum', isTrouble: true },
  {
    label: 'Token requests: 99 in 100 within',
    of: ({ token_endpoint: { count, within_ms_99: ms } }) => (count === 0 ? null : (ms ?? SLOWEST_MILLISECONDS)),
    shown: 'newest',
    unit: 'ms',
  },
  { label: 'Server errors', of: ({ server_errors: n }) => n, shown: 'sum', isTrouble: true },
];

/** The server tells no bound above this. */
const SLOWEST_MILLISECONDS = 5000;

const PERIODS = [
  ['3h', '3 hours'],
  ['24h', '24 hours'],
  ['7d', '7 days'],
  ['30d', '30 days'],
] as const;

/** @returns one that the API knows. */
export const periodIn = (asked: string): string => PERIODS.find(([period]) => period === asked)?.[0] ?? '24h';

export const charts = (viewer: Viewer, { period, buckets, bucket_seconds: seconds }: Statistics): Markup =>
  html`<nav class="row" aria-label="Period">!${PERIODS.map(([name, words]) =>
    name === period
      ? html`<strong aria-current="true">${words}</strong>`
      : link(viewer, withQuery('/console', { period: name }), words),
  ).join(' ')}</nav>
<ul class="charts">
!${SERIES.map((series) => chart(series, buckets, lasting(seconds))).join('\n')}
</ul>
<details><summary>The same numbers as a table</summary>
!${table(
    `From the newest, each for ${lasting(seconds)}`,
    [
      { label: 'From', cell: ({ from }: Bucket) => time(from) },
      ...SERIES.map(({ label, of, unit }) => ({
        label: unit === undefined ? label : `${label} (${unit})`,
        number: true as const,
        cell: (bucket: Bucket) => numberOrDash(of(bucket)),
      })),
    ],
    buckets.toReversed(),
  )}
</details>`;

const numberOrDash = (value: number | null): Markup => html`${value === null ? '–' : shownNumber(value)}`;

const HEIGHT = 60;
const WIDTH = 240;
/** A bar of the smallest number is still a bar. */
const LEAST = 2;

function chart({ label, of, shown, unit, isTrouble }: Series, buckets: readonly Bucket[], length: string): Markup {
  const values = buckets.map(of);
  const most = Math.max(0, ...values.map((value) => value ?? 0));
  const sum = values.reduce<number>((all, value) => all + (value ?? 0), 0);
  const newest = values.findLast((value) => value !== null) ?? null;
  const big = shown === 'sum' ? sum : newest;
  const inUnit = (value: number | null) =>
    value === null ? 'none' : `${shownNumber(value)}${unit === undefined ? '' : ` ${unit}`}`;
  const said = `${label}: ${shown === 'sum' ? `${inUnit(sum)} in all` : `${inUnit(newest)} now`}, at most ${inUnit(most)} in ${length}`;
  const step = WIDTH / Math.max(1, buckets.length);
  const bars = values.flatMap((value, index) => {
    if (value === null || value === 0) return [];
    const height = Math.max(LEAST, (value / most) * HEIGHT);
    const [x, y, width] = [index * step, HEIGHT - height, step * 0.8].map((number) => number.toFixed(1));
    return html`<rect x="${x ?? ''}" y="${y ?? ''}" width="${width ?? ''}" height="${height.toFixed(1)}"/>`;
  });
  return html`<li!${isTrouble && sum > 0 ? ' class="trouble"' : ''}><h3>${label}</h3>
<p class="big">${inUnit(big)}</p>
<svg viewBox="0 0 ${String(WIDTH)} ${String(HEIGHT + 1)}" preserveAspectRatio="none" role="img" aria-label="${said}"><path d="M0 ${String(HEIGHT + 0.5)}H${String(WIDTH)}"/>!${bars.join('')}</svg>
<p class="quiet">at most ${inUnit(most)} in ${length}</p></li>`;
}

function lasting(seconds: number): string {
  if (seconds < 3600) return `${seconds / 60} minutes`;
  return `${seconds / 3600} hours`;
}
