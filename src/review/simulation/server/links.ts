/** Links in mails: requested, and used by the button of their page. The reader of a mail has its link. */

import type { Actor } from '../scenario.ts';
import type { Answer, CredentialOf } from '../stage.ts';
import { linkIn } from './mails.ts';
import { DONE, gives, type Person, refused } from './person.ts';

type MailKind = 'resetMail' | 'changeMail' | 'undoMail' | 'lostMail';
const ABOUT_LINKS = '/email/link';

/** A request that sends a link to this mailbox. @returns DONE where none came: no page says so. */
async function sent(
  { mails }: Person,
  mailbox: string,
  kind: MailKind,
  ask: () => Promise<Answer | null>,
): Promise<Answer> {
  const links = async () => (await mails.to(mailbox)).filter(({ text }) => text.includes(ABOUT_LINKS));
  const before = (await links()).length;
  const answer = await ask();
  if (answer !== null) return answer;
  const mail = (await links()).slice(before).at(-1);
  return mail ? gives({ kind, link: linkIn(mail) }) : DONE;
}

export async function ownMailbox({ server, user }: Person): Promise<string> {
  const { claims } = (await server.deps.users.findToVerify(user.id)) ?? {};
  return String(claims?.['email'] ?? '');
}

export async function askForReset(person: Person, actor: Actor): Promise<Answer> {
  const browser = person.browserOf(actor);
  const email = await ownMailbox(person);
  return sent(person, email, 'resetMail', async () => {
    await browser.submit(await browser.get('/forgot-password'), { email });
    return null;
  });
}

export function askForChange(person: Person, actor: Actor): Promise<Answer> {
  const { inAccount, user } = person;
  const email = `${user.username}.${actor.name.replace(' ', '-')}@new.example`;
  return sent(person, email, 'changeMail', async () => {
    const answer = await inAccount(actor, { page: '/account/email', form: '/account/email/change' }, { email });
    return answer.kind === 'done' ? null : answer;
  });
}

export async function askAboutLostFactors(person: Person, actor: Actor): Promise<Answer> {
  const { browserOf, whyNotIn, reasonSince, server } = person;
  const browser = browserOf(actor);
  const page = await browser.get('/email/lost-factors');
  if (!page.url.startsWith('/email')) return refused(await whyNotIn(actor));
  const logged = server.logged();
  return sent(person, await ownMailbox(person), 'lostMail', async () => {
    const { status } = await browser.submit(page, {});
    if (status === 200) return null;
    const reason = await reasonSince(actor, logged);
    // The log says it in the words of the page.
    return refused(reason === 'lost_factors_passwordFromMail' ? 'password_from_mail' : reason);
  });
}

export async function pressButton(
  person: Person,
  actor: Actor,
  { kind, link }: CredentialOf<MailKind>,
): Promise<Answer> {
  const browser = person.browserOf(actor);
  const press = async (): Promise<Answer | null> => {
    const logged = person.server.logged();
    const page = await browser.get(link);
    const password = person.newPassword();
    const done = page.status === 200 ? await browser.submit(page, kind === 'resetMail' ? { password } : {}) : page;
    if (!done.url.startsWith('/email/done')) return refused(await person.reasonSince(actor, logged));
    if (kind === 'resetMail') person.passwordChanged(password);
    return kind === 'changeMail' ? null : DONE;
  };
  // The address from before can undo the change.
  return sent(person, await ownMailbox(person), 'undoMail', press);
}
