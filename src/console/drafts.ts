/** A draft of a policy file: its problems, its consequences in numbers, and the patch to commit. The console saves nothing. */
import { html } from 'ghtml';
import type { Markup } from '../http/views/page.ts';
import type { Document, Item } from '../management/client/documents.ts';
import { button, form, input, link, plural, table, withQuery, worded } from './components.ts';
import { type Action, all, type Fields, page, problem, type Screen, type Shown, type Viewer } from './shown.ts';
import { code, shownText } from './shown-text.ts';

type Entry = Item<'/policy-files'>;
type PolicyFile = Document<'GET', '/policy-files/{file}'>;
type Backtest = Document<'POST', '/backtests'>;
type Consequences = NonNullable<Backtest['consequences']>;
type Living = NonNullable<Consequences['living_chains']['other_clients']>;
type Replayed = NonNullable<Consequences['refreshes']['other_clients']>;
type Part<Counts> = {
  readonly by_reason: readonly { readonly reason: string; readonly count: number }[];
  readonly by_client: readonly (Counts & { readonly client_id: string })[];
  readonly other_clients: Counts | null;
};

const DRAFT = '/console/configuration/draft';
const CONSEQUENCES = '/console/configuration/draft/consequences';
const PATCH = '/console/configuration/draft/patch';
/** The policy of most clients. Every configuration has it. */
const FIRST_FILE = 'default.policy.yaml';
const DAYS = [1, 7, 31] as const;

type Drafted = { readonly file: string; readonly yaml: string; readonly days: string };

async function show(viewer: Viewer, query: Fields): Promise<Shown> {
  const listed = await viewer.api.list<Entry>('/policy-files');
  if (!listed.ok) return problem(listed.problem);
  const file = query.get('file') || FIRST_FILE;
  const answer = await viewer.api.get<PolicyFile>(`/policy-files/${encodeURIComponent(file)}`);
  if (!answer.ok) return problem(answer.problem);
  return draftPage(viewer, listed.value.items, { ...answer.value, days: '7' }, '');
}

const draftPage = (viewer: Viewer, files: readonly Entry[], drafted: Drafted, result: Markup): Shown =>
  page(
    'Draft a change',
    html`<p>See what a change of a policy file would do, before you commit it. The console saves nothing: the files stay the place to change it.</p>
!${choice(viewer, files, drafted)}
!${form(viewer, {
      action: CONSEQUENCES,
      label: 'Show the consequences',
      wide: true,
      values: { file: drafted.file },
      body: html`!${input({ name: 'yaml', label: `The text of ${drafted.file}`, value: drafted.yaml, lines: true, tall: true })}
!${input({ name: 'days', label: 'Compare with', value: drafted.days, choices: DAYS.map((days) => [String(days), `the last ${plural(days, 'day')}`]) })}`,
    })}
!${result}
<p>!${link(viewer, '/console/configuration', 'Configuration')}</p>`,
  );

const choice = (viewer: Viewer, files: readonly Entry[], { file }: Drafted): Markup =>
  html`<form method="get" action="${viewer.path(DRAFT)}" class="row" aria-label="The file">
!${input({ name: 'file', label: 'File', value: file, choices: files.map((one) => [one.file, one.file]) })}
<button type="submit" class="second">Open</button>
</form>`;

/** Forms send line ends as browsers do. */
const draftedIn = (fields: Fields): Drafted => ({
  file: fields.get('file'),
  yaml: fields.get('yaml').replaceAll('\r\n', '\n'),
  days: fields.get('days') || '7',
});

const backtestOf = (viewer: Viewer, { file, yaml, days }: Drafted) =>
  viewer.api.post<Backtest>('/backtests', { file, yaml, days: Number(days) }, null);

async function run(viewer: Viewer, fields: Fields): Promise<Shown> {
  const drafted = draftedIn(fields);
  const read = await all({ files: viewer.api.list<Entry>('/policy-files'), answer: backtestOf(viewer, drafted) });
  if (!read.ok) return problem(read.problem);
  const { files, answer } = read.values;
  return draftPage(viewer, files.items, drafted, resultOf(viewer, drafted, answer));
}

function resultOf(viewer: Viewer, drafted: Drafted, { problems, patch, consequences }: Backtest): Markup {
  if (consequences === null) {
    return html`<h2>Problems</h2>
<p class="warning" role="status">The server would refuse this draft.</p>
<ul>!${problems.map(({ says }) => html`<li>${shownText(says, MAX_WORDS)}</li>`).join('')}</ul>`;
  }
  return html`<h2>Consequences</h2>
<div role="status"><ul>!${consequences.says.map((sentence) => html`<li>${sentence}</li>`).join('')}</ul></div>
!${living('Chains that end now', consequences.living_chains)}
!${living('Unused codes that end now', consequences.living_codes)}
!${replayed('Refused refreshes', consequences.refreshes)}
!${replayed('Refused exchanges of codes', consequences.code_exchanges)}
<details><summary>What these numbers do not cover</summary><ul>!${consequences.not_replayed.map((sentence) => html`<li>${sentence}</li>`).join('')}</ul></details>
<h2>The patch</h2>
!${patchOf(viewer, drafted, patch)}`;
}

/** Problems repeat what was found, which may be long. */
const MAX_WORDS = 1000;

const living = (caption: string, part: Part<Living>): Markup =>
  countsOf(caption, part, [
    { label: 'All', of: ({ total }) => total },
    { label: 'End now', of: ({ end_now: ended }) => ended },
  ]);

const replayed = (caption: string, part: Part<Replayed>): Markup =>
  countsOf(caption, part, [
    { label: 'All', of: ({ total }) => total },
    { label: 'Refused', of: ({ refused }) => refused },
    { label: 'Later ones', of: ({ following }) => following },
  ]);

type Number<Counts> = { readonly label: string; readonly of: (counts: Counts) => number };

/** Nothing where nothing is refused: the sentences say so. */
function countsOf<Counts>(caption: string, part: Part<Counts>, numbers: readonly Number<Counts>[]): Markup {
  if (part.by_reason.length === 0) return '';
  const clients = [
    ...part.by_client.map((counts) => ({ name: code(counts.client_id), counts: counts as Counts })),
    ...(part.other_clients ? [{ name: 'other clients', counts: part.other_clients }] : []),
  ];
  return html`!${table(
    `${caption}, by reason`,
    [
      { label: 'Reason', cell: ({ reason }: (typeof part.by_reason)[number]) => worded(reason) },
      { label: 'Number', cell: ({ count }) => shownNumber(count), number: true },
    ],
    part.by_reason,
  )}
!${table(
    `${caption}, by client`,
    [
      { label: 'Client', cell: ({ name }: (typeof clients)[number]) => name },
      ...numbers.map(({ label, of }) => ({
        label,
        cell: ({ counts }: (typeof clients)[number]) => shownNumber(of(counts)),
        number: true as const,
      })),
    ],
    clients,
  )}`;
}

const shownNumber = (count: number): Markup => count.toLocaleString('en-GB');

function patchOf(viewer: Viewer, { file, yaml, days }: Drafted, patch: string): Markup {
  if (patch === '') return html`<p>The draft is the file as it stands: there is no patch.</p>`;
  return html`<p>Take it to the repository of your files, and commit it there: <code>git apply --directory=policies ${shownText(file)}.patch</code>.</p>
<pre tabindex="0" role="region" aria-label="The patch">${patch}</pre>
!${form(viewer, { action: PATCH, label: 'Download the patch', second: true, values: { file, yaml, days } })}
<p>!${button(viewer, withQuery(DRAFT, { file }), 'Start again from the file', 'second')}</p>`;
}

async function patchFile(viewer: Viewer, fields: Fields): Promise<Shown> {
  const drafted = draftedIn(fields);
  const answer = await backtestOf(viewer, drafted);
  if (!answer.ok) return problem(answer.problem);
  const { patch } = answer.value;
  return {
    kind: 'file',
    type: 'text/x-patch; charset=utf-8',
    fileName: `${drafted.file}.patch`,
    lines: (async function* () {
      yield patch;
    })(),
  };
}

const area = 'configuration';
const scope = 'configuration:read';

export const DRAFT_SCREENS: readonly Screen[] = [{ path: DRAFT, area, scope, show }];
export const DRAFT_ACTIONS: readonly Action[] = [
  { path: CONSEQUENCES, area, scope, act: run },
  { path: PATCH, area, scope, act: patchFile },
];
