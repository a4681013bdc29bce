/** The permissions of an app, as a list: at consent and on the page of permissions. */
import { html } from 'ghtml';
import type { DescribedAccess } from '../../protocol/requested-access.ts';
import type { Message } from '../words/arguments.ts';
import type { Words } from '../words/words.ts';
import { emphasised } from './filled.ts';
import type { Markup } from './page.ts';

type Introductions = {
  /** Precedes the scopes without a resource. */
  readonly here: string;
  readonly at: Message<'resource'>;
  /** For a resource without a requested scope. */
  readonly inAt: Message<'resource'>;
};

export const accessList = (words: Words, { resource, scopes }: DescribedAccess, said: Introductions): Markup =>
  scopes.length === 0
    ? html`<p>!${emphasised(said.inAt, { resource: resource ?? '' })}</p>`
    : html`<p>!${resource === null ? html`${said.here}` : emphasised(said.at, { resource })}</p>
<ul class="scopes">
!${scopes.map((scope) => html`<li>${meaning(words, resource, scope)}</li>`).join('\n')}
</ul>`;

/** This server describes the scopes of OpenID Connect. The team describes the others, in its own language. */
function meaning(
  { access }: Words,
  resource: string | null,
  { name, description }: DescribedAccess['scopes'][number],
): string {
  const standard: Readonly<Record<string, string>> = access.standard;
  return (resource === null ? standard[name] : undefined) ?? description ?? access.use({ scope: name });
}
