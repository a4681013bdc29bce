/** Invitations: by mail or as a link, replaced by the next, withdrawn, and used once. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { MANAGEMENT_SCOPE_NAMES } from '../../../src/config/management-resource.ts';
import { transitions } from '../../../src/storage/schema.ts';
import { Browser } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { keptMails, type Mails } from '../../support/mails.ts';
import { type Caller, callerWith, makeBot, tokenOf, withBot } from '../../support/management.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const PASSWORD = 'another long passphrase';

let scene: Scene;
let mails: Mails;
let call: Caller;
beforeAll(async () => {
  const bot = withBot();
  mails = keptMails();
  scene = await openScene(anyDatabase, {
    configuration: { ...bot, signIn: { ...bot.signIn, signUp: 'invitation' } },
    mail: mails,
  });
  mails.of(scene);
  await makeBot(scene);
  call = callerWith(scene, () => tokenOf(scene, MANAGEMENT_SCOPE_NAMES));
});
afterAll(() => scene.close());

type Created = { readonly invitation_id: string; readonly link: string | null; readonly invited_by: string };
const invite = async (body: object): Promise<Created> => {
  const answer = await call('POST', '/invitations', { body });
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json();
};
const pathOf = (link: string | null) => (link === null ? '' : `${new URL(link).pathname}${new URL(link).search}`);

it('an invitation is sent by mail, in a language, and its link is in no answer', async () => {
  const made = await invite({ email: 'ada@example.com', language: 'de' });
  expect(made).toMatchObject({ link: null, invited_by: expect.stringMatching(/^client /) });
  const [mail] = await mails.to('ada@example.com');
  expect(mail?.subject).toBe('Sie sind eingeladen');
  const browser = new Browser(scene.app);
  const page = await browser.get(await mails.link('ada@example.com'));
  expect((await browser.submit(page, { username: 'grace', password: PASSWORD })).url).toBe('/account');
  expect(await scene.deps.users.findForSignIn('grace')).toMatchObject({
    claims: { email: 'ada@example.com', email_verified: true },
  });
  expect((await call('GET', `/invitations/${made.invitation_id}`)).statusCode).toBe(404);
});

it('an invitation is returned once as a link, with an entry that names the inviting administrator', async () => {
  const { link, invitation_id } = await invite({ email: 'bea@example.com', send_mail: false });
  expect(await mails.to('bea@example.com')).toEqual([]);
  expect((await new Browser(scene.app).get(pathOf(link))).status).toBe(200);
  const shown = await call('GET', `/invitations/${invitation_id}`);
  expect(shown.body).not.toContain('email/link');
  const lines = await scene.database.drizzle.select().from(transitions);
  const line = lines.findLast(({ machine, event }) => machine === 'emailChallenge' && event === 'requested');
  expect(line).toMatchObject({ reason: 'invitation', actor: expect.stringMatching(/^client /) });
});

it('an invitation is invalid once it is withdrawn or replaced', async () => {
  const first = await invite({ email: 'cleo@example.com', send_mail: false });
  const second = await invite({ email: 'CLEO@example.com', send_mail: false });
  expect((await new Browser(scene.app).get(pathOf(first.link))).status).toBe(410);
  expect((await call('DELETE', `/invitations/${second.invitation_id}`)).statusCode).toBe(204);
  expect((await new Browser(scene.app).get(pathOf(second.link))).status).toBe(410);
  expect((await call('DELETE', `/invitations/${second.invitation_id}`)).statusCode).toBe(404);
});

it('an invitation to an invalid address is rejected', async () => {
  expect((await call('POST', '/invitations', { body: { email: 'no-address' } })).statusCode).toBe(422);
});
