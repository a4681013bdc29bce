/**
 * Links for end-users without a password, on the database itself: the command stores each link with its mail, and the servers send the
 * mails. Thousands of mails are the work of a command, with pauses, and no request of an administrator.
 */
import { passwordLinksOf } from '../../boot/administration.ts';
import type { Runtime } from '../../boot/runtime.ts';
import { commandLine } from '../../model/actor.ts';
import { passwordLinkFor } from '../../people/email/password-links.ts';
import { queuedMail } from '../../people/mail/contents.ts';
import { countWaitingLinks, mailQueue } from '../../storage/mails.ts';
import { databaseClock } from '../../system/clock.ts';
import { CommandRefused } from '../failure.ts';
import type { PasswordLinks } from '../password-links.ts';

/** Half of the queue stays free for the links that users ask for (src/boot/mail/outbox.ts). */
const MOST_WAITING = 500;

export async function directPasswordLinks(runtime: Runtime): Promise<PasswordLinks> {
  const ports = await passwordLinksOf(runtime);
  if (ports === null)
    throw new CommandRefused('Set STATEHOUSE_SMTP_URL as for the servers, which send the mails. Nothing was changed.');
  const { database, keys, random } = runtime;
  const db = database.drizzle;
  const queue = mailQueue(db, databaseClock);
  return {
    count: ports.count,
    list: ports.list,
    hasRoom: async () => (await countWaitingLinks(db)) < MOST_WAITING,
    mail: async (user) => {
      const mail = await passwordLinkFor(ports.links, user, commandLine);
      return mail !== null && queue.add(queuedMail({ keys, random }, mail, new Date()), null);
    },
  };
}
