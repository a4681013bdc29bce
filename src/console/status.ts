/** The status document of the management API, in words. */
import { html } from 'ghtml';
import type { Markup } from '../http/views/page.ts';
import { table, time } from './components.ts';
import { code, shownText } from './shown-text.ts';

export type State = 'good' | 'look' | 'bad';
export type Check = { readonly name: string; readonly state: State; readonly detail: string };

export type Status = {
  readonly state: State;
  readonly checks: readonly Check[];
  /** Within the last day. */
  readonly chains_ended: readonly { readonly reason: string; readonly times: number; readonly last_at: string }[];
  readonly failed_sign_ins: { readonly counters: number; readonly most: number };
  readonly database: { readonly version: string; readonly bytes: number };
  readonly nodes: readonly { readonly id: string; readonly version: string; readonly started_at: string }[];
  readonly configuration: {
    readonly warnings: readonly string[];
    readonly last_reload: {
      readonly at: string;
      readonly accepted: boolean;
      readonly changes: readonly Change[];
      readonly problems: readonly string[];
    } | null;
  };
};

type Change = { readonly key: string; readonly from: unknown; readonly to: unknown };

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
