/** Mails of a scenario: they are kept, and their links can be opened. */
import type { MailWay } from '../../../boot/mail/way.ts';
import type { AppDeps } from '../../../boot/wiring.ts';
import type { ComposedMail } from '../../../http/views/mail.ts';

export type Mails = MailWay & {
  /** Oldest first. */
  readonly sent: readonly ComposedMail[];
  /** To this address, oldest first, after everything that was asked for is done. */
  readonly to: (address: string) => Promise<readonly ComposedMail[]>;
  /** The path and the query of the link in the newest mail to this address. */
  readonly link: (address: string) => Promise<string>;
  /** Called once the app is there. */
  readonly of: (app: { readonly deps: Pick<AppDeps, 'outbox'> }) => void;
};

export function keptMails(): Mails {
  const sent: ComposedMail[] = [];
  let outbox: AppDeps['outbox'] = null;
  const to = async (address: string) => {
    await outbox?.idle();
    return sent.filter((mail) => mail.to === address);
  };
  return {
    sent,
    to,
    link: async (address) => linkIn((await to(address)).at(-1)),
    of: ({ deps }) => {
      outbox = deps.outbox;
    },
    deliver: async (mail) => void sent.push(mail),
    newest: null,
    close: () => {},
  };
}

/** @throws when the mail has no link on a line of its own. */
export function linkIn(mail: ComposedMail | undefined): string {
  const url = mail?.text.split('\n').find((line) => /^https?:\/\/\S+$/.test(line));
  if (url === undefined) throw new Error(`There is no link in ${mail?.subject ?? 'no mail'}.`);
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}
