/** Each mail as end-users receive it, with made-up data, and a test to the operator's own address. */
import { html } from 'ghtml';
import type { Markup } from '../http/views/page.ts';
import type { Document, Item } from '../management/client/documents.ts';
import { doneWords, facts, form, input, link, withQuery } from './components.ts';
import {
  type Action,
  type Fields,
  goTo,
  mailFrame,
  page,
  problem,
  type Screen,
  type Shown,
  type Viewer,
} from './shown.ts';
import { shownText } from './shown-text.ts';

type Listed = Item<'/mails'>;
type Preview = Document<'GET', '/mails/{kind}'>;

const MAILS = '/console/mails';
const CONTENT = '/console/mails/content';
const TEST = '/console/mails/test';

const FIRST_LANGUAGE = 'en';

const previewOf = (viewer: Viewer, { kind, language }: { readonly kind: string; readonly language: string }) =>
  viewer.api.get<Preview>(`/mails/${encodeURIComponent(kind)}`, { language });

/** Null: this server sends mails, or does not tell this operator. Else the words of a page that would send one. */
export async function noMails(viewer: Viewer): Promise<Markup | null> {
  if (!viewer.may('configuration:read')) return null;
  const answer = await previewOf(viewer, { kind: 'reset_password', language: FIRST_LANGUAGE });
  if (!answer.ok || answer.value.sends_mails) return null;
  return html`<p class="warning">This server sends no mails. !${link(viewer, '/console/secrets', 'Set')} <code>STATEHOUSE_SMTP_URL</code> first, which needs no restart.</p>`;
}

async function show(viewer: Viewer, query: Fields): Promise<Shown> {
  const listed = await viewer.api.list<Listed>('/mails');
  if (!listed.ok) return problem(listed.problem);
  const { items } = listed.value;
  const kind = query.get('kind') || (items[0]?.kind ?? '');
  const language = query.get('language') || FIRST_LANGUAGE;
  const answer = await previewOf(viewer, { kind, language });
  if (!answer.ok) return problem(answer.problem);
  const preview = answer.value;
  return page(
    'Mails',
    html`!${doneWords(query.get('done'))}
<p>Each mail as end-users receive it, with made-up data. <code>branding.yaml</code> and <code>mails.yaml</code>, in the folder of policies, change its look and its texts.</p>
!${choice(viewer, items, preview)}
!${facts([['Subject', html`<bdi lang="${language}">${shownText(preview.subject)}</bdi>`]])}
<h2>HTML</h2>
<iframe class="mail" sandbox title="The mail as HTML" src="${viewer.path(withQuery(CONTENT, { kind, language }))}"></iframe>
<h2>Text</h2>
<pre class="mail" lang="${language}">${preview.text}</pre>
<h2>Test</h2>
!${testOf(viewer, preview)}`,
    { frames: CONTENT },
  );
}

function choice(viewer: Viewer, items: readonly Listed[], { kind, language }: Preview): Markup {
  const languages = items.find((item) => item.kind === kind)?.languages ?? [];
  return html`<form method="get" action="${viewer.path(MAILS)}" class="row" aria-label="The mail">
!${input({ name: 'kind', label: 'Mail', value: kind, choices: items.map((item) => [item.kind, item.kind]) })}
!${input({ name: 'language', label: 'Language', value: language, choices: languages.map((tag) => [tag, nameOf(tag)]) })}
<button type="submit" class="second">Show</button>
</form>`;
}

const NAMES = new Intl.DisplayNames('en', { type: 'language' });
const nameOf = (tag: string): string => `${NAMES.of(tag) ?? tag} (${tag})`;

function testOf(viewer: Viewer, { kind, language, sends_mails: sendsMails, test_recipient: to }: Preview): Markup {
  if (!sendsMails)
    return html`<p>This server sends no mails, and therefore no tests. !${link(viewer, '/console/secrets', 'Set')} <code>STATEHOUSE_SMTP_URL</code>, which needs no restart.</p>`;
  if (!viewer.may('mails:send')) return html`<p>Operators can send a test to their own address.</p>`;
  if (to === null)
    return html`<p>A test goes to your own verified address, and you have none. <a href="${viewer.path('/account/email')}">Verify your address</a> first.</p>`;
  return html`<p>The test goes to your own verified address, <bdi>${shownText(to)}</bdi>. Its data is made up, and its link has no effect.</p>
!${form(viewer, { action: TEST, label: 'Send a test', second: true, values: { kind, language } })}`;
}

async function content(viewer: Viewer, query: Fields): Promise<Shown> {
  const answer = await previewOf(viewer, { kind: query.get('kind'), language: query.get('language') });
  return answer.ok ? mailFrame(answer.value.html) : problem(answer.problem);
}

async function test(viewer: Viewer, fields: Fields): Promise<Shown> {
  const [kind, language] = [fields.get('kind'), fields.get('language')];
  const path = `/mails/${encodeURIComponent(kind)}/tests`;
  const answer = await viewer.api.post(path, { language }, fields.get('once'));
  return answer.ok ? goTo(withQuery(MAILS, { kind, language, done: 'test-mailed' })) : problem(answer.problem);
}

const area = 'configuration';
const scope = 'configuration:read';

export const MAIL_SCREENS: readonly Screen[] = [
  { path: MAILS, area, scope, show },
  { path: CONTENT, area, scope, show: content },
];

export const MAIL_ACTIONS: readonly Action[] = [{ path: TEST, area, scope: 'mails:send', act: test }];
