/** Notifies an end-user by mail of an event of the account. Called after the commit. */
import { addressOf, type RegisteredUser } from '../../model/user.ts';
import { urlUnder } from '../../oauth/urls.ts';
import { actingBrowser } from './acting-browser.ts';
import { languagesOf, type MailContent, type Notice, type Outbox, timeZoneOf } from './mail.ts';

export type NotifyDeps = {
  readonly issuer: string;
  readonly accounts: { readonly find: (userId: string) => Promise<RegisteredUser | null> };
  readonly outbox: Outbox;
};

export type Happened =
  | { readonly kind: Notice; readonly at: Date }
  | { readonly kind: 'new_device'; readonly at: Date; readonly userAgent: string | null };

/**
 * Resolves when the mail is in the queue. A failed mail has no other effect. Only a verified address receives it:
 * another may be a stranger's.
 * @param deps null: this server sends no mail.
 * @param languages languages, the best first. Absent: those of the acting browser. The end-user's own language precedes
 * them.
 */
export async function notify(
  deps: NotifyDeps | null,
  userId: string,
  happened: Happened,
  languages?: readonly string[],
): Promise<void> {
  const browser = actingBrowser();
  await deps?.outbox.later(async () => {
    const user = await deps.accounts.find(userId);
    const own = user === null ? null : addressOf(user);
    if (user === null || own === null || !own.isVerified || user.deletedAt !== null) return;
    await deps.outbox.send({
      to: own.address,
      userId,
      languages: languagesOf(user, languages ?? (await browser?.languages()) ?? []),
      timeZone: timeZoneOf(user),
      content: contentOf(deps.issuer, user.username, happened),
    });
  });
}

function contentOf(issuer: string, username: string, happened: Happened): MailContent {
  if (happened.kind === 'new_device') return { ...happened, username, devices: urlUnder(issuer, '/account/devices') };
  return { ...happened, username, forgot: urlUnder(issuer, '/forgot-password') };
}
