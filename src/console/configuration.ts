/** The configuration in force. Operators change it in the files. */
import { html } from 'ghtml';
import type { Item } from '../management/client/documents.ts';
import { link, table } from './components.ts';
import { type Policy, policyOf } from './policy.ts';
import { settingLinks } from './settings.ts';
import { all, page, problem, type Screen, type Shown, type Viewer } from './shown.ts';
import { code, name } from './shown-text.ts';
import { lastReload, type Status, warnings } from './status.ts';

type Resource = Item<'/resources'>;

async function show(viewer: Viewer): Promise<Shown> {
  const read = await all({
    policies: viewer.api.list<Policy>('/policies'),
    resources: viewer.api.list<Resource>('/resources'),
    status: viewer.api.get<Status>('/status'),
  });
  if (!read.ok) return problem(read.problem);
  const { policies, resources, status } = read.values;
  return page(
    'Configuration',
    html`<p>What is in force now. The files of the configuration folder are the place to change it; they are read again when they change.</p>
<p>!${link(viewer, '/console/configuration/draft', 'Draft a change')} of a policy file, and see its consequences in numbers.</p>
<p>!${link(viewer, '/console/secrets', 'Secrets')} that the files name, and the mail server: where each comes from, and new values.</p>
<p>!${link(viewer, '/console/mails', 'Mails')}, as end-users receive them, in each language.</p>
!${settingLinks(viewer)}
<h2>Warnings</h2>
!${warnings(status)}
<h2>The last reload</h2>
!${lastReload(status)}
<h2>Policies</h2>
!${policies.items.map(policyOf).join('\n')}
<h2>Resources</h2>
!${table(
      'APIs that access tokens are for',
      [
        {
          label: 'Name',
          cell: (resource: Resource) =>
            html`!${name(resource.name)}!${resource.default ? ' <span class="badge">default</span>' : ''}`,
        },
        { label: 'Identifier', cell: (resource) => code(resource.identifier) },
        { label: 'Scopes', cell: (resource) => (resource.scopes ?? []).map((scope) => code(scope.name)).join(' ') },
      ],
      resources.items,
    )}`,
  );
}

export const CONFIGURATION_SCREENS: readonly Screen[] = [
  { path: '/console/configuration', area: 'configuration', scope: 'configuration:read', show },
];
