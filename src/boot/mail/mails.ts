/** The outbox and the use cases that send mails, loaded where mails are configured. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { knownDevice } from '../../crypto/device-cookie.ts';
import { hashPassword } from '../../crypto/password.ts';
import type { RowMacs } from '../../crypto/row-mac.ts';
import type { CodeRoutesOptions } from '../../http/code-routes.ts';
import type { EmailPages } from '../../http/email-route-names.ts';
import type { EmailRoutesOptions } from '../../http/email-routes.ts';
import type { PageParts } from '../../http/page-parts.ts';
import type { Session } from '../../model/session.ts';
import type { User } from '../../model/user.ts';
import type { Tell } from '../../people/mail/mail.ts';
import { notifyOfNewDevice } from '../../people/mail/new-device.ts';
import { notify } from '../../people/mail/notify.ts';
import type { IsBreached } from '../../people/passwords/rules.ts';
import type { LostDeps } from '../../people/second-factor/lost.ts';
import { mailSignUp, offered } from '../../people/sign-up/sign-up.ts';
import { demandsSecondFactor, isPasswordOneOfSeveral } from '../../protocol/browser-session.ts';
import type { Drizzle } from '../../storage/database.ts';
import { linkedIdentityStore } from '../../storage/linked-identities.ts';
import { mailQueue } from '../../storage/mails.ts';
import { findRegisteredUser, findRegisteredUserNamed, usersWithAddress } from '../../storage/users.ts';
import type { Clock } from '../../system/clock.ts';
import { openOutbox, type RunningOutbox } from './outbox.ts';
import type { MailWay } from './way.ts';

export type MailsOptions = Omit<
  EmailRoutesOptions & CodeRoutesOptions,
  | 'sleep'
  | 'isOffered'
  | 'accounts'
  | 'mailCounts'
  | 'outbox'
  | 'isReserved'
  | 'identifiers'
  | 'passkeyIsOffered'
  | 'passwordProblem'
  | 'minimumCharacters'
  | 'hashPassword'
  | 'removeLostFactors'
  | 'signsInElsewhere'
  | keyof PageParts
> &
  Omit<LostDeps, 'sleep'> & {
    readonly db: Drizzle;
    readonly macs: RowMacs;
    readonly clock: Clock;
    readonly logger: Logger;
    readonly mail: MailWay;
    readonly now: () => Date;
    readonly isBreached: IsBreached;
  };

type Links = Omit<EmailRoutesOptions & CodeRoutesOptions, keyof PageParts>;

type Account = Pick<User, 'id' | 'username'>;

export type Mails = {
  /** False: there is no mail server now, and features that need mails are off. */
  readonly isOn: () => boolean;
  readonly outbox: RunningOutbox;
  readonly links: Links;
  readonly pages: EmailPages;
  readonly whenSignedIn: (session: Session) => void;
  /** Whether a link about lost factors would not be refused from the start. */
  readonly mayRecoverByMail: (userId: string) => Promise<boolean>;
  readonly tell: Tell;
};

export function openMails({ db, macs, clock, logger, mail, now, ...given }: MailsOptions): Mails {
  const { issuer, configuration, random, signInCapacity, signInFailures, users } = given;
  const hasSecondFactor = async (userId: string | null, username: string) =>
    userId === null
      ? demandsSecondFactor(configuration(), username)
      : isPasswordOneOfSeveral(given, { id: userId, username });
  const outbox = openOutbox({
    deliver: mail.deliver,
    // The words of mails are read for the first mail.
    compose: async (sent) =>
      (await import('../../http/views/mail.ts')).composeMail({ issuer, ...configuration() }, sent),
    answer: async (wanted, send) => {
      const deps = { ...links, outbox: { ...outbox, send } };
      if (wanted.kind === 'sign_up_wanted') await mailSignUp(deps, wanted);
      else if (wanted.kind === 'code_wanted')
        await (await import('../../people/email/mailed-code.ts')).mailCode(deps, wanted);
      else await (await import('../../people/email/asking.ts')).sendResets(deps, wanted);
    },
    isErased: async (userId) => ((await findRegisteredUser(db, macs, userId))?.deletedAt ?? null) !== null,
    queue: mailQueue(db, clock),
    keys: given.keys,
    random,
    now,
    logger,
  });
  const pause = (milliseconds: number) => sleep(milliseconds);
  const knownDeviceAt = (cookie: string | null, { id, username }: Account, at: Date): string | null => {
    const known = knownDevice(given.keys, cookie, { name: users.keyOf(username), userId: id });
    return known !== null && known.endsAt > at ? known.id : null;
  };
  const isKnownDevice = (cookie: string | null, user: Account, at: Date) => knownDeviceAt(cookie, user, at) !== null;
  const links: Links = {
    ...given,
    now,
    sleep: pause,
    isOffered: offered(() => configuration().signIn),
    accounts: {
      withAddress: (address, limit) => usersWithAddress(db, macs, address, limit),
      named: (username) => findRegisteredUserNamed(db, macs, username),
      find: (userId) => findRegisteredUser(db, macs, userId),
    },
    mailCounts: signInFailures,
    identifiers: () => configuration().signIn.identifiers,
    passkeyIsOffered: () => configuration().signIn.signUpWith === 'passkeyOrPassword',
    isReserved: (username) => {
      const { operators, auditors } = configuration().operators;
      return [...operators, ...auditors].some((named) => users.keyOf(named) === users.keyOf(username));
    },
    outbox,
    knownDeviceOf: (cookie, user) => knownDeviceAt(cookie, user, now()),
    signsInElsewhere: async (userId) =>
      configuration().delegatedSignIn !== null || (await linkedIdentityStore(db, clock).list(userId)).length > 0,
    removeLostFactors: async (userId) =>
      (await import('../../people/second-factor/lost.ts')).removeLostFactors({ ...given, sleep: pause }, userId),
    passwordProblem: async (password, { userId, username, address }) => {
      // The list of common passwords is read for the first new password.
      const { passwordProblem, serviceNames } = await import('../../people/passwords/rules.ts');
      return passwordProblem(password, {
        username,
        alsoNamed: [address],
        hasSecondFactor: await hasSecondFactor(userId, username),
        service: serviceNames(given.issuer, configuration().branding.organization),
        policy: configuration().signIn,
        isBreached: given.isBreached,
      });
    },
    minimumCharacters: async ({ userId, username }) => {
      const { minimumCharacters } = await import('../../people/passwords/rules.ts');
      return minimumCharacters({
        hasSecondFactor: await hasSecondFactor(userId, username),
        policy: configuration().signIn,
      });
    },
    hashPassword: async (password, { network, gone }) => {
      const place = { line: network, ticket: random.uuid(), signal: gone };
      const hashed = await signInCapacity.hashes.run(place, () => hashPassword(password));
      return hashed.kind === 'done' ? hashed.value : null;
    },
  };
  const isOn = mail.isOn ?? (() => true);
  const tell: Tell = (userId, kind) => notify(isOn() ? links : null, userId, { kind, at: now() });
  return {
    isOn,
    // Without a mail server, mails wait: a failed attempt would bring their end closer.
    outbox: { ...outbox, round: async () => (isOn() ? outbox.round() : undefined) },
    links,
    pages: {
      isOn,
      hasMailbox: mail.newest !== null,
      handlers: async (parts) =>
        (await import('../../http/email-pages.ts')).emailPages({ ...links, tell, ...parts }, mail.newest),
    },
    whenSignedIn: (session) => {
      if (isOn()) notifyOfNewDevice({ ...links, isKnownDevice }, session);
    },
    mayRecoverByMail: async (userId) =>
      isOn() && (await import('../../people/email/asking.ts')).mayRecoverByMail(links, userId),
    tell,
  };
}
