/** Mails links to a first password, slowly, to users who have no way to sign in. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { RegisteredUser } from '../model/user.ts';
import type { Cli } from './cli.ts';
import { json } from './output.ts';

/** How many of them have no address, one that is not verified, or a link that was mailed before and can still be used. */
export type WithoutPassword = {
  readonly all: number;
  readonly withoutAddress: number;
  readonly unverified: number;
  readonly mailed: number;
};

/** The steps of the command. */
export type PasswordLinks = {
  readonly count: () => Promise<WithoutPassword>;
  readonly list: (page: {
    readonly after: string | null;
    readonly limit: number;
    readonly unverified: boolean;
  }) => Promise<readonly RegisteredUser[]>;
  /** False: the queue has to be sent first. */
  readonly hasRoom: () => Promise<boolean>;
  /** @returns false: the policy offers no such link, or the user has changed meanwhile. */
  readonly mail: (user: RegisteredUser) => Promise<boolean>;
};

export type MailOptions = {
  readonly dryRun?: true;
  readonly unverified?: true;
  readonly perMinute: number;
  readonly json?: true;
};

const AT_A_TIME = 100;
const MINUTE = 60_000;

type Done = { readonly mailed: number; readonly refused: number; readonly queueIsFull: boolean };

export async function mailLinks({ output }: Cli, links: PasswordLinks, options: MailOptions): Promise<void> {
  const before = await links.count();
  const done = options.dryRun
    ? { mailed: 0, refused: 0, queueIsFull: false }
    : await mailAll(output.complain, links, options);
  const unverified = options.unverified === true;
  output.print(options.json ? json(documentOf(before, done)) : textOf(before, done, { ...options, unverified }));
}

async function mailAll(
  complain: (text: string) => void,
  links: PasswordLinks,
  {
    unverified = false,
    perMinute,
    json: asJson,
  }: Pick<MailOptions, 'perMinute' | 'json'> & { readonly unverified?: boolean },
): Promise<Done> {
  let [mailed, refused] = [0, 0];
  let after: string | null = null;
  for (;;) {
    const users: readonly RegisteredUser[] = await links.list({ after, limit: AT_A_TIME, unverified });
    if (users.length === 0) return { mailed, refused, queueIsFull: false };
    if (!(await links.hasRoom())) return { mailed, refused, queueIsFull: true };
    for (const user of users) {
      if (await links.mail(user)) mailed += 1;
      else refused += 1;
      after = user.id;
      await sleep(MINUTE / perMinute);
    }
    if (!asJson) complain(`${mailed} mailed\n`);
  }
}

const documentOf = ({ all, withoutAddress, unverified, mailed: earlier }: WithoutPassword, done: Done) => ({
  without_way_to_sign_in: all,
  mailed: done.mailed,
  mailed_earlier: earlier,
  refused: done.refused,
  unverified_address: unverified,
  no_address: withoutAddress,
  queue_is_full: done.queueIsFull,
});

function textOf(
  before: WithoutPassword,
  done: Done,
  { dryRun, unverified }: { readonly dryRun?: true; readonly unverified: boolean },
) {
  const { all, withoutAddress, mailed: earlier } = before;
  const verified = all - withoutAddress - before.unverified - earlier;
  const lines: (readonly [number, string])[] = [
    ...(dryRun
      ? [[verified + (unverified ? before.unverified : 0), 'would be mailed'] as const]
      : [[done.mailed, 'mailed'] as const]),
    [earlier, 'have a link from the last 24 hours'],
    ...(unverified
      ? []
      : [[before.unverified, 'have an address that is not verified (--unverified mails them)'] as const]),
    [withoutAddress, 'have no e-mail address ("statehouse users set-password")'],
    [done.refused, 'were refused: the policy offers no such link, or the user has changed meanwhile'],
  ];
  const list = lines.filter(([count]) => count > 0).map(([count, words]) => `  ${count} ${words}\n`);
  const full = done.queueIsFull
    ? 'The queue of mails is full: run the command again when the servers have sent it.\n'
    : '';
  return `${all} users have no way to sign in.\n${list.join('')}${full}`;
}
