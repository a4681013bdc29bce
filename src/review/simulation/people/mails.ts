/** Links in mails: asked for, and used by the button of their page. Who has the mail has the link. */
import {
  type EmailChallengeCommit,
  type LinkUse,
  type LoadedEmailChallenge,
  sendLinkRequest,
  useLinkRequest,
} from '../../../lifecycles/email-challenge.ts';
import { addressOf, type EmailChallenge, type NewEmailChallenge } from '../../../model/email-challenge.ts';
import { type Bytes, sameBytes } from '../../../model/grant.ts';
import { hasPassword } from '../../../oauth/authentication-methods.ts';
import { commitLinks } from '../../proof/email-challenges/store.ts';
import type { Actor } from '../scenario.ts';
import { storeUser } from './account.ts';
import { enter, isSession } from './enter.ts';
import { loseApps } from './factors.ts';
import { losePasskeys } from './passkeys.ts';
import { useCookie } from './sessions.ts';
import {
  bytesOf,
  DONE,
  decided,
  gives,
  hashOfPassword,
  idOf,
  type PersonalAnswer,
  type PersonalThing,
  refused,
  type World,
} from './world.ts';

type Mail = Extract<PersonalThing, { kind: 'resetMail' | 'changeMail' | 'undoMail' | 'lostMail' }>;
type Purpose = 'reset_password' | 'change_address' | 'lost_factors';

const KINDS = { reset_password: 'resetMail', change_address: 'changeMail', lost_factors: 'lostMail' } as const;
/** As src/people/email/links.ts has them. */
const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;
const LIFETIME_SECONDS = { reset_password: 30 * MINUTE, change_address: DAY, lost_factors: 30 * MINUTE } as const;
const UNDO_LIFETIME_SECONDS = 7 * DAY;

const EVERY_PURPOSE = { isOffered: () => true };

/** Of the mail with this secret; null: of a mail that is about to be sent. */
const load = (world: World, secretHash: Bytes | null): LoadedEmailChallenge => {
  const { user, userVersion, mails, apps, passkeys } = world.rows;
  const isThis = (mail: EmailChallenge) => secretHash !== null && sameBytes(mail.secretHash, secretHash);
  const factors = [...apps, ...passkeys].filter(({ state }) => state === 'active');
  const added = factors.map(({ createdAt }) => createdAt.getTime());
  return {
    now: world.now(),
    challenges: mails.filter((mail) => isThis(mail) || mail.state === 'active'),
    user,
    version: String(userVersion),
    usernameOf: null,
    oldestFactorAt: added.length === 0 ? null : new Date(Math.min(...added)),
  };
};

function store(world: World, commit: EmailChallengeCommit): boolean {
  const { user, userVersion, mails } = world.rows;
  const before = { user, version: userVersion, challenges: mails, factorSince: null };
  const after = commitLinks(before, commit);
  if (after === null) return false;
  world.rows = { ...world.rows, mails: after.challenges };
  if (commit.user !== null) storeUser(world, commit.user.after);
  return true;
}

function send(world: World, purpose: Purpose, address: string): PersonalAnswer {
  const serial = world.draw();
  const secretHash = bytesOf(serial);
  const fresh: NewEmailChallenge = {
    id: idOf(serial),
    purpose,
    secretHash,
    userId: world.rows.user.id,
    address,
    goesOn: null,
    lifetimeSeconds: LIFETIME_SECONDS[purpose],
  };
  const sent = decided(
    world,
    sendLinkRequest(EVERY_PURPOSE, fresh, { passwordIsProven: purpose === 'lost_factors' }),
    () => load(world, null),
    (commit) => store(world, commit),
  );
  return sent.kind === 'rejected' ? refused(sent.reason) : gives({ kind: KINDS[purpose], secretHash });
}

/** To the address of the account, from any browser. */
export function askForReset(world: World): PersonalAnswer {
  const { user } = world.rows;
  const own = addressOf(user);
  return own?.isVerified && user.disabledAt === null ? send(world, 'reset_password', own.address) : DONE;
}

/** To a mailbox of the person who asks. */
export function askForChange(world: World, actor: Actor): PersonalAnswer {
  const session = enter(world, actor, true);
  return isSession(session) ? send(world, 'change_address', newMailboxOf(actor)) : session;
}

export const newMailboxOf = ({ name }: Actor): string => `${name.replace(' ', '-')}@new.example`;

/** Only in a browser in which the password was right. */
export function askAboutLostFactors(world: World, actor: Actor): PersonalAnswer {
  const used = useCookie(world, actor);
  const own = addressOf(world.rows.user);
  if (used.kind === 'none' || own === null) return refused(used.kind === 'none' ? used.reason : 'address_mismatch');
  return hasPassword(used.session.amr) ? send(world, 'lost_factors', own.address) : refused('password_not_proven');
}

export function pressButton(world: World, actor: Actor, { kind, secretHash }: Mail): PersonalAnswer {
  const used = useCookie(world, actor);
  const isProven = used.kind !== 'none' && hasPassword(used.session.amr);
  const passwordHash = hashOfPassword(world.passwordSerial + 1);
  const use: LinkUse = kind === 'resetMail' ? { kind: 'password', passwordHash } : { kind: 'press' };
  const serial = world.draw();
  const undo = { id: idOf(serial), secretHash: bytesOf(serial), lifetimeSeconds: UNDO_LIFETIME_SECONDS };
  const offered = kind === 'changeMail' ? undo : null;
  const done = decided(
    world,
    useLinkRequest(EVERY_PURPOSE, secretHash, use, offered, { passwordIsProven: kind === 'lostMail' && isProven }),
    () => load(world, secretHash),
    (commit) => store(world, commit),
  );
  if (done.kind === 'rejected') return refused(done.reason);
  if (kind === 'resetMail') world.passwordSerial += 1;
  if (kind === 'lostMail') {
    losePasskeys(world);
    loseApps(world);
  }
  return done.undo === null ? DONE : gives({ kind: 'undoMail', secretHash: done.undo.secretHash });
}
