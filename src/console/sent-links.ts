/** Links that an operator has mailed: for a new password, and to invite a person. */
import { html } from 'ghtml';
import type { Item } from '../management/client/documents.ts';
import { button, doneWords, form, input, link, pager, table, time, withQuery } from './components.ts';
import { claimOf, type EndUser, endUserPage, refusalOf, userResource } from './end-user.ts';
import { noMails } from './mails.ts';
import { type Action, type Fields, goTo, page, problem, type Screen, type Shown, type Viewer } from './shown.ts';
import { name, shownText } from './shown-text.ts';

const LINK = '/console/end-user/link';
const INVITATIONS = '/console/invitations';
const WITHDRAW = '/console/invitations/withdraw';

async function confirmLink(viewer: Viewer, query: Fields): Promise<Shown> {
  const sub = query.get('id');
  const user = await viewer.api.get<EndUser>(userResource(sub));
  if (!user.ok) return problem(user.problem);
  const { username, claims, disabled } = user.value;
  const { email, email_verified: isVerified } = claims;
  const back = html`<p>!${link(viewer, endUserPage(sub), 'Send nothing')}</p>`;
  const title = `Send ${shownText(username)} a link`;
  if (disabled)
    return page(title, html`<p class="warning">A disabled end-user gets no link. Enable them first.</p>!${back}`);
  const off = await noMails(viewer);
  if (off !== null) return page(title, html`!${off}!${back}`);
  if (typeof email !== 'string' || email === '')
    return page(
      title,
      html`<p class="warning">This end-user has no e-mail address. Add it, or set a password.</p>
<p class="row">!${button(viewer, endUserPage(sub, '/edit'), 'Add an address…')}</p>!${back}`,
    );
  return page(
    title,
    html`<p>The mail goes to <strong>!${claimOf(email)}</strong>, which is ${isVerified === true ? 'verified' : 'not verified'}.</p>
<p>${
      isVerified === true
        ? 'With its link, the end-user chooses a new password. Until then, the old password and all sessions stay.'
        : 'Its link verifies the address, and changes no password. Afterwards the end-user can ask for a new password on the sign-in page.'
    } The link is valid for a day. You do not see it, and an older one becomes invalid.</p>
!${form(viewer, { action: LINK, label: 'Send the link', values: { id: sub } })}
!${back}`,
  );
}

async function sendLink(viewer: Viewer, fields: Fields): Promise<Shown> {
  const sub = fields.get('id');
  const answer = await viewer.api.post(userResource(sub, '/mailed-links'), {}, fields.get('once'));
  return answer.ok ? goTo(endUserPage(sub, '', 'link-mailed')) : problem(answer.problem);
}

type Invitation = Item<'/invitations'>;

async function invitations(viewer: Viewer, query: Fields, typed = '', refusal = ''): Promise<Shown> {
  const cursor = query.get('cursor');
  const answer = await viewer.api.list<Invitation>('/invitations', { cursor });
  if (!answer.ok) return problem(answer.problem);
  const mayInvite = viewer.may('users:write');
  const off = mayInvite ? await noMails(viewer) : null;
  return page(
    'Invitations',
    html`!${doneWords(query.get('done'))}!${refusal}
<p>An invited person opens the link of the mail, and creates an account with this address. The link is valid for a week.</p>
!${
      off ??
      (mayInvite
        ? form(viewer, {
            action: INVITATIONS,
            label: 'Send an invitation',
            wide: true,
            body: input({ name: 'email', label: 'E-mail address', value: typed, required: true }),
          })
        : '')
    }
!${table(
      'Invitations that can still be used',
      [
        { label: 'To', cell: ({ email }: Invitation) => name(email) },
        { label: 'By', cell: ({ invited_by: by }) => name(by ?? '') },
        { label: 'Sent', cell: ({ created_at: at }) => time(at) },
        { label: 'Ends', cell: ({ ends_at: at }) => time(at) },
        {
          label: 'Action',
          cell: ({ invitation_id: id, email }) =>
            mayInvite
              ? form(viewer, {
                  action: WITHDRAW,
                  label: `Withdraw ${shownText(email, 60)}`,
                  second: true,
                  values: { id },
                })
              : '',
        },
      ],
      answer.value.items,
    )}
!${pager(viewer, INVITATIONS, { cursor }, answer.value.next)}`,
    refusal === '' ? {} : { status: 400 },
  );
}

async function invite(viewer: Viewer, fields: Fields): Promise<Shown> {
  const email = fields.get('email').trim();
  const answer = await viewer.api.post('/invitations', { email }, fields.get('once'));
  if (answer.ok) return goTo(withQuery(INVITATIONS, { done: 'invited' }));
  return answer.problem.status === 422
    ? invitations(viewer, fields, email, refusalOf(answer.problem))
    : problem(answer.problem);
}

async function withdraw(viewer: Viewer, fields: Fields): Promise<Shown> {
  const answer = await viewer.api.remove(`/invitations/${encodeURIComponent(fields.get('id'))}`);
  return answer.ok ? goTo(withQuery(INVITATIONS, { done: 'withdrawn' })) : problem(answer.problem);
}

const area = 'end-users';
const scope = 'users:write';

export const SENT_LINK_SCREENS: readonly Screen[] = [
  { path: LINK, area, scope, show: confirmLink },
  { path: INVITATIONS, area, scope: 'users:read', show: (viewer, query) => invitations(viewer, query) },
];

export const SENT_LINK_ACTIONS: readonly Action[] = [
  { path: LINK, area, scope, act: sendLink },
  { path: INVITATIONS, area, scope, act: invite },
  { path: WITHDRAW, area, scope, act: withdraw },
];
