/** Signing keys: list, rotate, revoke. */
import { html } from 'ghtml';
import type { Document } from '../management/client/documents.ts';
import { button, doneWords, facts, form, link, table, time, withQuery, worded } from './components.ts';
import { type Action, type Fields, goTo, page, problem, type Screen, type Shown, type Viewer } from './shown.ts';
import { code, shownText } from './shown-text.ts';

type Key = Document<'GET', '/signing-keys/{kid}'>;

const NEXT = {
  publishes: 'its successor is published',
  hands_over: 'its successor signs',
  signs: 'it signs',
  stops: 'it stops signing',
  retires: 'it retires',
} as const;

async function list(viewer: Viewer, query: Fields): Promise<Shown> {
  const answer = await viewer.api.list<Key>('/signing-keys', {});
  if (!answer.ok) return problem(answer.problem);
  const keys = answer.value.items;
  const algorithms = [...new Set(keys.filter(({ state }) => state === 'signing').map(({ alg }) => alg))];
  return page(
    'Signing keys',
    html`!${doneWords(query.get('done'))}
<p>Keys follow each other by themselves: a key is published, signs when every cache holds it, and is accepted until the last token that it signed has ended.</p>
!${table(
      'Keys',
      [
        { label: 'Key', cell: (key: Key) => code(key.kid) },
        { label: 'Algorithm', cell: (key) => code(key.alg) },
        {
          label: 'State',
          cell: (key) => html`<span class="badge">${key.state}</span> !${worded(key.reason)}`,
        },
        { label: 'Since', cell: (key) => time(key.since) },
        {
          label: 'Next',
          cell: (key) =>
            key.next === null ? '' : html`${NEXT[key.next.what] ?? key.next.what}, !${time(key.next.at)}`,
        },
        {
          label: 'Action',
          cell: (key) =>
            viewer.may('keys:revoke') && key.state !== 'retired'
              ? link(viewer, withQuery('/console/key/revoke', { id: key.kid }), `Revoke ${key.kid.slice(0, 8)}…`)
              : '',
        },
      ],
      keys,
    )}
!${viewer.may('keys:rotate') ? html`<p class="row">!${algorithms.map((alg) => button(viewer, withQuery('/console/keys/rotate', { alg }), `Rotate ${alg}…`, 'second')).join(' ')}</p>` : ''}`,
  );
}

async function confirmRotation(viewer: Viewer, query: Fields): Promise<Shown> {
  const alg = query.get('alg');
  return page(
    `Rotate ${shownText(alg)}?`,
    html`<p class="warning">The server publishes a new key now. The new key signs as soon as caches had the time in the policy to fetch it. Until then, the old key signs. No user is signed out.</p>
!${form(viewer, { action: '/console/keys/rotate', label: 'Rotate', values: { alg } })}
<h2>At once</h2>
<p class="warning">A new key signs now. An API whose cache is older refuses tokens until it fetches the keys again. Do this only when the old key may be known to others; then revoke the old key too.</p>
!${form(viewer, { action: '/console/keys/rotate', label: 'Rotate immediately', danger: true, values: { alg, at_once: 'yes' } })}
<p>!${link(viewer, '/console/keys', 'Change nothing')}</p>`,
  );
}

async function rotate(viewer: Viewer, fields: Fields): Promise<Shown> {
  const path = `/signing-keys/${encodeURIComponent(fields.get('alg'))}/rotations`;
  const body = fields.get('at_once') === 'yes' ? { at_once: true } : {};
  const answer = await viewer.api.post(path, body, fields.get('once'));
  return answer.ok ? goTo('/console/keys?done=rotated') : problem(answer.problem);
}

async function confirmRevocation(viewer: Viewer, query: Fields): Promise<Shown> {
  const kid = query.get('id');
  const answer = await viewer.api.get<Key>(`/signing-keys/${encodeURIComponent(kid)}`);
  if (!answer.ok) return problem(answer.problem);
  const key = answer.value;
  return page(
    'Revoke this key?',
    html`<p class="warning"><strong>Every access token and ID Token that this key has signed is refused</strong> as soon as APIs fetch the keys again. Apps with a refresh token get new tokens by themselves, and no user has to sign in again.!${key.state === 'signing' ? ' It signs now, so another key takes over immediately.' : ''} It cannot be undone.</p>
!${facts([
      ['Key', code(key.kid)],
      ['Algorithm', code(key.alg)],
      ['State', html`${key.state}`],
      ['Since', time(key.since)],
    ])}
!${form(viewer, { action: '/console/key/revoke', label: 'Revoke the key', danger: true, values: { id: kid } })}
<p>!${link(viewer, '/console/keys', 'Change nothing')}</p>`,
  );
}

async function revoke(viewer: Viewer, fields: Fields): Promise<Shown> {
  const answer = await viewer.api.remove(`/signing-keys/${encodeURIComponent(fields.get('id'))}`);
  return answer.ok ? goTo('/console/keys?done=revoked') : problem(answer.problem);
}

const area = 'keys';

export const KEY_SCREENS: readonly Screen[] = [
  { path: '/console/keys', area, scope: 'keys:read', show: list },
  { path: '/console/keys/rotate', area, scope: 'keys:rotate', show: confirmRotation },
  { path: '/console/key/revoke', area, scope: 'keys:revoke', show: confirmRevocation, needsRecentSignIn: true },
];

export const KEY_ACTIONS: readonly Action[] = [
  { path: '/console/keys/rotate', area, scope: 'keys:rotate', act: rotate },
  {
    path: '/console/key/revoke',
    area,
    scope: 'keys:revoke',
    act: revoke,
    recentSignInFor: (form) => withQuery('/console/key/revoke', { id: form.get('id') }),
  },
];
