/** The status document of the management API, in words. */
import { html } from 'ghtml';
import type { Markup } from '../http/views/page.ts';
import type { Document } from '../management/client/documents.ts';
import { table, time } from './components.ts';
import { code, shownText } from './shown-text.ts';

export type Status = Document<'GET', '/status'>;
export type State = Status['state'];
export type Check = Status['checks'][number];
type Change = NonNullable<Status['configuration']['last_reload']>['changes'][number];

export function warnings({ configuration }: Status): Markup {
  if (configuration.warnings.length === 0) return html`<p>None.</p>`;
  return html`<ul>!${configuration.warnings.map((warning) => html`<li>${shownText(warning, 1000)}</li>`).join('\n')}</ul>`;
}

export function lastReload({ configuration: { last_reload: reload } }: Status): Markup {
  if (reload === null) return html`<p>None since this node started.</p>`;
  if (!reload.accepted) {
    return html`<div class="alert"><p><strong>Refused</strong> on !${time(reload.at)}. The previous configuration stays in force.</p>
<ul>!${reload.problems.map((found) => html`<li>${shownText(found, 1000)}</li>`).join('\n')}</ul></div>`;
  }
  if (reload.changes.length === 0) return html`<p>On !${time(reload.at)}: no changes.</p>`;
  return html`<p>On !${time(reload.at)}.</p>
!${table(
    'What it changed',
    [
      { label: 'Key', cell: ({ key }: Change) => code(key) },
      { label: 'Before', cell: ({ from }) => value(from) },
      { label: 'Now', cell: ({ to }) => value(to) },
    ],
    reload.changes,
  )}`;
}

const value = (of: unknown): Markup =>
  of === undefined || of === null ? html`<span class="quiet">nothing</span>` : code(JSON.stringify(of));
