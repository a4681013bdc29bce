/**
 * Verification of the ledger in parts. The form of each page has the position of the next part, so the parts of one
 * verification may go to any node.
 */
import { html } from 'ghtml';
import type { Markup } from '../http/views/page.ts';
import type { Document } from '../management/client/documents.ts';
import { facts, form, input, link, plural, time } from './components.ts';
import type { Answer } from './management-api.ts';
import { type Action, type Fields, page, problem, type Screen, type Shown, type Viewer } from './shown.ts';
import { code, shownText } from './shown-text.ts';

const PATH = '/console/ledger/verify';

/** Parts for each page, so that a browser without JavaScript has fewer pages to confirm. */
const PARTS = 4;

type Verification = Document<'POST', '/ledger-verifications'>;

async function show(viewer: Viewer): Promise<Shown> {
  return page(
    'Verify the ledger',
    html`<p>The server seals its entries in segments. A verification computes every hash again, from the newest segment back, and finds entries and segments that were changed, added or removed. It stores nothing.</p>
!${form(viewer, {
      action: PATH,
      label: 'Verify',
      wide: true,
      body: input({
        name: 'head',
        label: 'Newest segment in the log of a server (optional)',
        hint: 'NUMBER:DIGEST, from the log line "ledger: segment closed". Without it, no verification finds the removal of the newest segments.',
      }),
    })}
<p>!${link(viewer, '/console/ledger', 'Back to the ledger')}</p>`,
  );
}

async function verify(viewer: Viewer, fields: Fields): Promise<Shown> {
  const head = fields.get('head').trim();
  let position = fields.get('position');
  let verified: Verification | null = null;
  for (let part = 0; part < PARTS && (verified === null || verified.next !== null); part++) {
    const answer: Answer<Verification> = await viewer.api.post<Verification>(
      '/ledger-verifications',
      { ...(position && { position }), ...(position === '' && head !== '' && { head }) },
      null,
    );
    if (!answer.ok && answer.problem.status === 503) return shown(viewer, { verified, position, head, isBusy: true });
    if (!answer.ok) return problem(answer.problem);
    verified = answer.value;
    position = verified.next ?? '';
  }
  return shown(viewer, { verified, position, head, isBusy: false });
}

type State = {
  /** Null: this request has no result. */
  readonly verified: Verification | null;
  readonly position: string;
  readonly head: string;
  /** Another verification is running on this node. */
  readonly isBusy: boolean;
};

const shown = (viewer: Viewer, state: State): Shown =>
  page(
    'Verify the ledger',
    html`<div id="verification" role="status" aria-busy="${String(isUnfinished(state))}">!${isUnfinished(state) ? progress(viewer, state) : result(viewer, state.verified)}</div>
<p>!${link(viewer, '/console/ledger', 'Back to the ledger')}</p>`,
    isUnfinished(state) ? { script: 'verify' } : {},
  );

const isUnfinished = (state: State): boolean => state.isBusy || state.position !== '';

function progress(viewer: Viewer, { verified, position, head, isBusy }: State): Markup {
  const { segments = 0, segments_left: left = 0 } = verified ?? {};
  return html`<p>!${
    verified === null
      ? 'Another verification is running on this server. This one continues after it.'
      : html`!${plural(segments, 'segment')} with !${entries(verified.lines)} verified; about ${left.toLocaleString('en-GB')} left.`
  }</p>
!${verified === null ? '' : html`<progress max="${segments + left}" value="${segments}" aria-label="Verified segments"></progress>`}
!${verified === null ? '' : problemsFound(verified)}
!${continuation(viewer, { position, head, wait: isBusy ? 2000 : 0 })}`;
}

const continuation = (viewer: Viewer, sent: { readonly position: string; readonly head: string; wait: number }) =>
  html`<form method="post" action="${viewer.path(PATH)}" class="action" data-wait="${sent.wait}">
!${viewer.hidden}
<input type="hidden" name="position" value="${sent.position}"><input type="hidden" name="head" value="${sent.head}">
<button type="submit" class="first">Continue</button>
</form>`;

const entries = (lines: number): string => plural(lines, 'entry', 'entries');

function result(viewer: Viewer, verified: Verification | null): Markup {
  if (verified === null) return '';
  if (verified.segments === 0) return html`<p>No segment is sealed yet, so there is nothing to verify.</p>`;
  const changed = verified.problem_count - verified.untrusted_count;
  const first = verified.first_segment?.toLocaleString('en-GB') ?? '';
  const last = verified.head?.segment.toLocaleString('en-GB') ?? '';
  return html`!${verdict(changed, verified.untrusted_count)}
!${problemsFound(verified)}
!${facts([
    ['Segments', html`${verified.segments.toLocaleString('en-GB')}, from ${first} to ${last}`],
    ['Sealed', html`!${time(verified.first_sealed_at)} to !${time(verified.head?.sealed_at)}`],
    [
      'Entries',
      html`${verified.lines.toLocaleString('en-GB')}!${verified.first_entry === null ? '' : html`, from !${code(verified.first_entry)} to !${code(verified.last_entry ?? '')}`}`,
    ],
    [
      'Removed by retention',
      verified.lines_removed_by_retention === 0 ? '' : html`${entries(verified.lines_removed_by_retention)}`,
    ],
    [
      'Not verified',
      verified.open_lines === 0
        ? ''
        : html`the newest ${entries(verified.open_lines)}: in no segment when the verification began`,
    ],
    ['Newest segment', verified.head === null ? '' : code(`${verified.head.segment}:${verified.head.digest}`)],
  ])}
!${form(viewer, { action: PATH, label: 'Verify again', second: true })}`;
}

/** A segment of an untrusted key says nothing of a change. */
function verdict(changed: number, untrusted: number): Markup {
  if (changed > 0)
    return html`<p class="warning"><strong>The ledger is not as it was written: ${plural(changed, 'problem')}.</strong></p>`;
  if (untrusted > 0)
    return html`<p class="warning"><strong>No change was found, and an untrusted key signed ${plural(untrusted, 'segment')}.</strong> Verify those with <code>statehouse ledger verify --key</code>.</p>`;
  return html`<p class="done">No entry was changed, added or removed.</p>`;
}

function problemsFound({ problems, problem_count: count }: Verification): Markup {
  if (count === 0) return '';
  const more = count - problems.length;
  return html`<p>${count === 1 ? 'The broken place:' : 'The first broken places so far:'}</p>
<ul class="problems">!${problems.map(({ says }) => html`<li>${shownText(says)}</li>`).join('')}</ul>
!${more > 0 ? html`<p class="quiet">And ${more.toLocaleString('en-GB')} more. <code>statehouse ledger verify</code> names all.</p>` : ''}`;
}

const area = 'ledger';
const scope = 'ledger:read';

export const LEDGER_VERIFY_SCREENS: readonly Screen[] = [{ path: PATH, area, scope, show }];
export const LEDGER_VERIFY_ACTIONS: readonly Action[] = [{ path: PATH, area, scope, act: verify }];
