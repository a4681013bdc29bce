/** Codes by mail: asked for in a browser, and typed in its page, or in that of a thief. */
import type { Actor } from '../scenario.ts';
import type { Answer, CredentialOf } from '../stage.ts';
import { ownMailbox } from './links.ts';
import { gives, type Person, refused } from './person.ts';

const PAGE = '/sign-in/code';
const CODE = /^\d{4} \d{4}$/m;

export async function askForMailedCode(person: Person, actor: Actor): Promise<Answer> {
  const { browserOf, mails, user } = person;
  const browser = browserOf(actor);
  const mailbox = await ownMailbox(person);
  const codes = async () => (await mails.to(mailbox)).flatMap(({ text }) => CODE.exec(text)?.[0] ?? []);
  const before = (await codes()).length;
  const page = await browser.submit(await browser.get(PAGE), { username: user.username });
  const digits = (await codes()).slice(before).at(-1);
  return digits === undefined ? refused('no mail came') : gives({ kind: 'mailedCode', digits, page: page.url });
}

export const presentMailedCode = (
  { forCookie }: Person,
  actor: Actor,
  { digits, page }: CredentialOf<'mailedCode'>,
): Promise<Answer> => forCookie(actor, async (browser) => browser.submit(await browser.get(page), { code: digits }));
