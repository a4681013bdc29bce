/** The life of a grant: its state with the reason, its stages as a picture, and each event in words. */
import { html } from 'ghtml';
import type { Markup } from '../http/views/page.ts';
import { browserOf } from './browser.ts';
import { plural, time } from './components.ts';
import { code, shownText } from './shown-text.ts';

type Event = {
  readonly at: string;
  readonly machine: string;
  readonly event: string;
  readonly from: string;
  readonly to: string;
  readonly reason: string | null;
  readonly generation: number | null;
  readonly scope_withheld: string | null;
  readonly actor: string | null;
  /** Of a credential that was used before: its presenter. */
  readonly address: string | null;
  readonly user_agent: string | null;
  readonly says: string;
};

/** As in `statehouse explain`. */
export type Life = {
  readonly active: boolean;
  readonly active_until?: string;
  readonly reason?: string | null;
  readonly why?: string | null;
  readonly what_would_have_kept_it?: string | null;
  readonly events: readonly Event[];
  readonly earlier_events: number;
};

export function summaryOf({
  active,
  active_until: until,
  reason = null,
  why = null,
  what_would_have_kept_it: keep = null,
}: Life): Markup {
  if (active)
    return html`<p class="done"><strong>It is active.</strong>!${until ? html` Without further use, it ends on !${time(until)}.` : ''}</p>`;
  return html`<div class="alert"><p><strong>It is over!${reason === null ? '.' : html`: <code>${shownText(reason)}</code>`}</strong></p>
!${why === null ? '' : html`<p>${why}</p>`}
!${keep === null ? '' : html`<p><strong>How to prevent this:</strong> ${keep}</p>`}</div>`;
}

/** Equal events in a row. */
type Stage = { readonly first: Event; last: Event; times: number };

function stagesOf(events: readonly Event[]): readonly Stage[] {
  const stages: Stage[] = [];
  for (const event of events) {
    const stage = stages.at(-1);
    const isLikeBefore =
      stage &&
      stage.first.machine === event.machine &&
      stage.first.event === event.event &&
      stage.first.to === event.to;
    if (isLikeBefore) {
      stage.last = event;
      stage.times++;
    } else stages.push({ first: event, last: event, times: 1 });
  }
  return stages;
}

/** By machine and the state that follows. */
const TITLES: Readonly<Record<string, string>> = {
  'interaction approved': 'Allowed',
  'authorizationCode used': 'Code exchanged',
  'authorizationCode revoked': 'Code presented again',
  'refreshToken used': 'Refreshed',
  'refreshToken revoked': 'Used token presented again',
  'grant revoked': 'Over',
};

const titleOf = ({ machine, event, to }: Event): string => TITLES[`${machine} ${to}`] ?? `${machine} ${event}`;

/** The stages from the first sign-in to today, as boxes in a row. */
export function pictureOf({ active, active_until: until, events, earlier_events: earlier }: Life): Markup {
  const boxes = stagesOf(events).map(
    ({ first, last, times }) => html`<li!${first.to === 'revoked' ? ' class="over"' : ''}>
<strong>${titleOf(first)}${times > 1 ? ` ${plural(times, 'time')}` : ''}</strong>
<span>!${time(first.at)}!${times > 1 ? html` – !${time(last.at)}` : ''}</span>
!${presenterOf(first)}</li>`,
  );
  return html`<ol class="chain" aria-label="The stages of its life">
!${earlier > 0 ? html`<li><strong>${plural(earlier, 'earlier event')}</strong></li>` : ''}!${boxes.join('\n')}
!${active ? html`<li class="now"><strong>Active</strong>!${until ? html`<span>until !${time(until)}</span>` : ''}</li>` : ''}</ol>`;
}

/** The entry of the grant is the consequence of another entry, which has the same presenter. */
const hasPresenter = ({ address, machine }: Event): boolean => address !== null && machine !== 'grant';

const presenterOf = (event: Event): Markup =>
  !hasPresenter(event) ? '' : html`<span>from ${shownText(event.address ?? '')}, ${browserOf(event.user_agent)}</span>`;

/** Each event in words, with the names of the machine beside. */
export function eventsOf({ events, earlier_events: earlier }: Life): Markup {
  const lines = events.map(
    (event) =>
      html`<li!${event.to === 'revoked' ? ' class="over"' : ''}><p>!${time(event.at)}</p>
<p><strong>${shownText(event.says, 500)}</strong></p>
<p class="quiet">!${code(`${event.machine} ${event.event}: ${event.from} → ${event.to}`)}!${event.generation === null ? '' : html` generation ${String(event.generation)}`}</p>
!${!hasPresenter(event) ? '' : html`<p>Presented !${presenterOf(event)}!${event.user_agent === null ? '' : html` <span class="quiet">(${shownText(event.user_agent)})</span>`}</p>`}
!${event.scope_withheld ? html`<p class="quiet">Withheld, above the client’s scope at that time: ${shownText(event.scope_withheld)}</p>` : ''}
!${event.actor ? html`<p class="quiet">Requested by ${shownText(event.actor)}</p>` : ''}</li>`,
  );
  return html`!${earlier > 0 ? html`<p class="quiet">${String(earlier)} earlier entries are not listed.</p>` : ''}
<ol class="life">!${lines.join('\n')}</ol>`;
}
