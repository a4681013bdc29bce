/**
 * The running machines: each picture with the rows per state and the counts of each arm, which update while a page is
 * open.
 */
import { html } from 'ghtml';
import type { Markup } from '../http/views/page.ts';
import { link, table, withQuery, worded, wordsOf } from './components.ts';
import {
  type Arm,
  armKey,
  type MachineNumbers,
  type StateRows,
  shownCount,
  shownNumber,
  stateKey,
  together,
} from './numbers.ts';
import { withNumbers } from './picture.ts';
import { type Fields, page, problem, type Screen, type Shown, type Viewer } from './shown.ts';
import { shownText } from './shown-text.ts';

const pageOf = (machine: string): string => withQuery('/console/machine', { name: machine });
const resourceOf = (machine: string, rest = ''): string => `/machines/${encodeURIComponent(machine)}${rest}`;

async function list(viewer: Viewer): Promise<Shown> {
  const answer = await viewer.api.list<MachineNumbers>('/machines');
  if (!answer.ok) return problem(answer.problem);
  return page(
    'Machines running',
    html`!${live(viewer, '')}
<ul class="tiles">
!${answer.value.items
      .map(
        (machine) => html`<li><h2>!${link(viewer, pageOf(machine.name), wordsOf(machine.name))}</h2>
<p>!${machine.states
          .map(
            (state) =>
              html`<span class="big" data-number="${stateKey(machine.name, state.name)}">${shownCount(state, machine)}</span> ${wordsOf(state.name)}`,
          )
          .map((state) => html`<span class="whole">!${state}</span>`)
          .join(' ')}</p></li>`,
      )
      .join('\n')}
</ul>`,
    { script: 'live' },
  );
}

/** In pixels. A wider picture gets the whole width. */
const MAX_WIDTH_BESIDE = 640;

async function show(viewer: Viewer, query: Fields): Promise<Shown> {
  const [machine, picture] = await Promise.all([
    viewer.api.get<DefinedMachine>(resourceOf(query.get('name'))),
    viewer.api.text(resourceOf(query.get('name'), '/picture'), 'image/svg+xml'),
  ]);
  if (!machine.ok) return problem(machine.problem);
  const { value } = machine;
  const drawn = picture.ok
    ? withNumbers(picture.value, value, (from, events, to) => viewer.path(linesOf(value.name, from, events, to)))
    : null;
  return page(
    `The machine ${wordsOf(value.name)}`,
    html`!${live(viewer, value.name)}
<p class="quiet">On the states: how many rows are in them. Beside the events: how often they were taken in the last five minutes; each leads to its latest lines in the ledger.</p>
<div!${drawn !== null && drawn.width <= MAX_WIDTH_BESIDE ? ' class="beside"' : ''}>
!${drawn === null ? '' : html`<div class="picture" tabindex="0" role="region" aria-label="Picture of the machine">!${drawn.markup}</div>`}
<div>
!${table(
      'Rows per state',
      [
        { label: 'State', cell: (state: StateRows) => worded(state.name) },
        {
          label: 'Rows',
          number: true,
          cell: (state) =>
            html`<span data-number="${stateKey(value.name, state.name)}">${shownCount(state, value)}</span>`,
        },
      ],
      value.states,
    )}
!${table(
      'Arms that change the state, and others that were taken, with their times in the last five minutes',
      [
        {
          label: 'Arm',
          cell: (arm: Arm) =>
            html`!${link(viewer, linesOf(value.name, arm.from, [arm.event], arm.to), wordsOf(arm.event))} <code class="quiet">${shownText(arm.event)}</code><br><span class="quiet">${wordsOf(arm.from)} → ${wordsOf(arm.to)}</span>`,
        },
        {
          label: 'Times',
          number: true,
          cell: (arm) => html`<span data-number="${armKey(value.name, arm)}">${shownNumber(arm.last_5_minutes)}</span>`,
        },
      ],
      armsOf(value),
    )}
</div>
</div>`,
    { script: 'live', styles: drawn?.styles ?? [] },
  );
}

/** As XState reads it. */
type DefinedMachine = MachineNumbers & { readonly definition: Definition };
type Definition = { readonly states?: Readonly<Record<string, { readonly on?: Readonly<Record<string, Targets>> }>> };
type Targets = Target | readonly Target[];
type Target = string | { readonly target?: string };

/** Every arm to another state, used or not, so that its number has a place, and the other used arms. */
function armsOf({ arms, definition }: DefinedMachine): readonly Arm[] {
  const defined = Object.entries(definition.states ?? {}).flatMap(([from, { on = {} }]) =>
    Object.entries(on).flatMap(([event, targets]) =>
      [targets].flat().flatMap((target): readonly Arm[] => {
        const to = typeof target === 'string' ? target : target.target;
        return to === undefined || to === from ? [] : [{ from, event, to, reason: null, last_5_minutes: 0 }];
      }),
    ),
  );
  return together([...defined, ...arms]);
}

/** The script of the page reads the URL of the numbers here. */
const live = (viewer: Viewer, machine: string): Markup =>
  html`<p class="quiet" id="live-status" role="status" data-events="${viewer.path(withQuery('/console/events', { machine }))}">As of now; reload for new numbers.</p>`;

/** The latest entries that these arms wrote. */
const linesOf = (machine: string, from: string, events: readonly string[], to: string) =>
  withQuery('/console/ledger', { machine, event: events.join(' '), from_state: from, to_state: to });

const area = 'machines';
const scope = 'configuration:read';

export const MACHINE_SCREENS: readonly Screen[] = [
  { path: '/console/machines', area, scope, show: list },
  { path: '/console/machine', area, scope, show },
];
