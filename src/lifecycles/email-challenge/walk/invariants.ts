/** The invariants of links in mails: for each, a sentence and the violations. */
import { isDeepStrictEqual } from 'node:util';
import { NO_PASSWORD } from '../../../model/user.ts';
import type { DefinedInvariant } from '../../../review/proof/define-walk.ts';
import { everythingIsAnswered, staysEnded } from '../../../review/proof/invariants.ts';
import type { ModelState, Move } from '../../../review/proof/moment.ts';
import { storedAfter } from '../../../review/proof/moves.ts';
import type { EmailChallenge } from '../entity.ts';
import { addedBy, movesOf, type Stored, type Terms, verifies } from './ports.ts';
import { requestsAt } from './requests.ts';

type Ports = ModelState<Terms>;
const LINK = ['emailChallenge'];

/** The link that was used with this move, as it was stored before; null: none was. */
function usedBy({ stored }: Ports, { commit }: Move<Terms>): EmailChallenge | null {
  if (!commit?.held) return null;
  const id = movesOf(commit.commit).find(({ state }) => state === 'used')?.id;
  return stored.challenges.find((one) => one.id === id) ?? null;
}

const stateOf = ({ challenges }: Stored, id: string) => challenges.find((one) => one.id === id)?.state;
const emailOf = ({ user }: Stored): unknown => user?.claims['email'];
const isFromMail = ({ user, factorSince }: Stored): boolean =>
  factorSince !== null && user?.passwordByLinkAt != null && factorSince <= user.passwordByLinkAt.getTime();
const isEnabled = ({ user }: Stored): boolean => user !== null && user.disabledAt === null && user.deletedAt === null;

const isLike = (
  { person, purpose }: Pick<EmailChallenge, 'person' | 'purpose'>,
  other: Pick<EmailChallenge, 'person' | 'purpose'>,
): boolean => person === other.person && purpose === other.purpose;
/** Counted, and not read from the row; with those that had gone when the walk began. */
const newerThan = (challenges: readonly EmailChallenge[], link: EmailChallenge): number =>
  challenges.slice(0, challenges.indexOf(link)).filter((one) => isLike(one, link)).length + goneBefore(link);
const goneBefore = ({ id }: EmailChallenge): number => (id === 'the older reset_password link' ? 8 : 0);
const keptOf = ({ purpose }: EmailChallenge): number => (purpose === 'invitation' ? 1 : 10);

export const INVARIANTS: readonly DefinedInvariant<Terms>[] = [
  {
    name: 'a-link-works-once',
    says: 'A link is used once: neither a second press nor a lost answer uses it again.',
    violation: (_, __, { after }) => {
      const { used } = after.known;
      return new Set(used).size < used.length ? 'a link was used twice' : null;
    },
  },
  {
    name: 'a-use-ends-the-others',
    says: 'The statement that uses a link ends every other link of its purpose, but for the links that undo a change.',
    machines: LINK,
    violation: (_, ports, move) => {
      const link = usedBy(ports, move);
      if (link === null || link.purpose === 'undo_change') return null;
      const left = move.after.stored.challenges.find(({ state, ...one }) => state === 'active' && isLike(one, link));
      return left ? `${link.id} was used, and ${left.id} is active` : null;
    },
  },
  {
    name: 'few-active-links',
    says: 'At most ten links of a purpose are active for a person, and one invitation; but for the links that undo a change.',
    machines: LINK,
    violationAt: (_, { stored: { challenges } }) => {
      const crowded = challenges.find(
        (link) =>
          link.state === 'active' && link.purpose !== 'undo_change' && newerThan(challenges, link) >= keptOf(link),
      );
      return crowded ? `${crowded.id} is active, and too many are newer` : null;
    },
  },
  {
    name: 'links-to-one-address',
    says: 'The active links to another address all lead to the same address.',
    spec: 'NIST SP 800-63B-4 §4.6',
    machines: LINK,
    violationAt: (_, { stored: { challenges } }) => {
      const active = challenges.filter(({ state, purpose }) => state === 'active' && purpose === 'change_address');
      const addresses = new Set(active.map(({ address }) => address));
      return addresses.size > 1 ? 'two addresses can still be confirmed' : null;
    },
  },
  {
    name: 'an-older-link-stays',
    says: 'A newer link to the same address ends no older link while there are fewer than may be: a stranger who asks for links ends none.',
    machines: LINK,
    violation: (_, ports, move) => {
      const added = move.commit?.held ? addedBy(move.commit.commit) : null;
      if (added === null || added.purpose === 'undo_change') return null;
      const lost = ports.stored.challenges.find(
        (link) =>
          link.state === 'active' &&
          isLike(link, added) &&
          link.address === added.address &&
          newerThan(ports.stored.challenges, link) + 1 < keptOf(link) &&
          stateOf(move.after.stored, link.id) !== 'active',
      );
      return lost ? `${lost.id} was ended by a newer link` : null;
    },
  },
  {
    name: 'never-after-another-password',
    says: 'A link from before a new password, or from before the end of the sessions, is invalid; except an undo, since a thief changes the password too.',
    machines: LINK,
    violation: (_, ports, move) => {
      const link = usedBy(ports, move);
      if (link === null || link.userId === null || link.purpose === 'undo_change') return null;
      return ports.stored.user?.epoch === link.userEpoch ? null : `${link.id} was used after the epoch was raised`;
    },
  },
  {
    name: 'never-for-the-ended',
    says: 'No link changes the account of an end-user who was disabled or deleted.',
    spec: 'OpenID Connect Core §3.1.2.3',
    violation: (_, ports, move) => {
      const link = usedBy(ports, move);
      return link !== null && link.userId !== null && !isEnabled(ports.stored) ? `${link.id} was used` : null;
    },
  },
  {
    name: 'only-the-address-it-was-sent-to',
    says: 'A link for a new password, about lost factors, or to confirm the address, is used while the account still has the address that it was sent to.',
    machines: LINK,
    violation: (_, ports, move) => {
      const link = usedBy(ports, move);
      if (link === null || !['reset_password', 'verify_address', 'lost_factors'].includes(link.purpose)) return null;
      return emailOf(ports.stored) === link.address ? null : `${link.id} was used, and the address is another`;
    },
  },
  {
    name: 'an-address-identifies-one',
    says: 'No link gives an end-user a verified address by which another end-user signs in; and the new address identifies the end-user.',
    spec: 'OpenID Connect Core §5.7',
    machines: LINK,
    violation: (_, ports, move) => {
      const link = usedBy(ports, move);
      if (link === null || !verifies(link)) return null;
      if (link.address === ports.stored.takenAddress)
        return `${link.id} was used, and its address is another end-user's`;
      return move.after.stored.user?.signInAddress === link.address ? null : 'the new address identifies no end-user';
    },
  },
  {
    name: 'in-time',
    says: 'A link that had expired when the end-user pressed the button changes nothing.',
    machines: LINK,
    violation: (_, ports, move) => {
      const link = usedBy(ports, move);
      const late = link !== null && move.commit !== null && move.commit.commit.now >= link.endsAt;
      return late ? `${link.id} was used after its end` : null;
    },
  },
  {
    name: 'link-and-account-together',
    says: 'A link is used and the account changed as its purpose says, in one statement; or neither.',
    violation: (_, ports, move) => {
      if (!move.commit?.held) return null;
      const [before, after] = [ports.stored.user, move.after.stored.user];
      const link = usedBy(ports, move);
      if (link === null)
        return isDeepStrictEqual(before, after) ? null : 'the account was changed, and no link was used';
      if (after === null) return 'a link was used, and there is no account';
      const hasNewPassword = before !== null && after.passwordHash !== before.passwordHash;
      const isEnded = before !== null && after.epoch > before.epoch;
      const hasAddress = emailOf(move.after.stored) === link.address;
      switch (link.purpose) {
        case 'reset_password':
          return hasNewPassword && isEnded ? null : 'no new password, or the sessions live on';
        case 'lost_factors':
          return hasAddress && isEnded && !hasNewPassword ? null : 'the sessions live on, or more was changed';
        case 'undo_change':
          return hasAddress && isEnded && !hasNewPassword ? null : 'the address is not back';
        case 'sign_up':
        case 'invitation':
          return hasAddress && before === null ? null : 'no account was made';
        default:
          return hasAddress && !isEnded && !hasNewPassword ? null : 'more or less than the address was changed';
      }
    },
  },
  {
    name: 'never-an-account-without-a-way-in',
    says: 'An account that a link made has a password, or the passkey of the same request.',
    spec: 'WebAuthn Level 3 §7.1',
    violationAt: (_, { stored: { user, passkeys } }) => {
      if (user === null || user.deletedAt !== null || user.passwordHash !== NO_PASSWORD) return null;
      return passkeys.some(({ userId, state }) => userId === user.id && state === 'active')
        ? null
        : 'an account has neither a password nor a passkey';
    },
  },
  {
    name: 'a-passkey-comes-with-its-account',
    says: 'A link registers a passkey only in the statement that makes the account, for that account, and without a password.',
    spec: 'WebAuthn Level 3 §7.1',
    machines: ['emailChallenge', 'passkey'],
    violation: (_, { stored: before }, { commit, after: { stored } }) => {
      if (!commit?.held) return null;
      const added = stored.passkeys.slice(before.passkeys.length);
      const { user } = stored;
      const isNew = before.user === null && user !== null && user.passwordHash === NO_PASSWORD;
      return added.every(({ userId }) => isNew && userId === user.id)
        ? null
        : 'a passkey was registered for another account';
    },
  },
  {
    name: 'a-credential-is-of-one',
    says: 'No link registers a passkey that was registered before.',
    spec: 'WebAuthn Level 3 §7.1',
    machines: ['emailChallenge', 'passkey'],
    violationAt: (_, { stored: { passkeys } }) =>
      new Set(passkeys.map(({ credentialId }) => Buffer.from(credentialId).toString('base64url'))).size <
      passkeys.length
        ? 'two passkeys have one credential'
        : null,
  },
  {
    name: 'the-mailbox-alone-removes-no-factor',
    says: 'A link about lost factors takes the password too, and no link has set that password since the oldest factor was added.',
    spec: 'NIST SP 800-63B-4 §4.2.2',
    machines: LINK,
    violation: (_, ports, move) => {
      if (usedBy(ports, move)?.purpose !== 'lost_factors') return null;
      const { asked } = move.commit ?? {};
      if (asked?.kind !== 'use' || asked.withPassword !== true) return 'the password was not typed';
      return isFromMail(ports.stored) ? 'the password came by a link, too' : null;
    },
  },
  {
    name: 'an-undo-stays',
    says: 'A link that undoes a change of the address stays valid until it expires, through every later change; only the undoing of an older change ends it.',
    spec: 'NIST SP 800-63B-4 §4.6',
    machines: LINK,
    violationAt: (_, { stored: { challenges } }) => {
      const lost = challenges.find(
        ({ purpose, supersededReason }) =>
          purpose === 'undo_change' && supersededReason !== null && supersededReason !== 'change_undone',
      );
      return lost ? `${lost.id} was superseded` : null;
    },
  },
  {
    name: 'a-verified-address-can-come-back',
    says: 'Each change of a verified address leaves a link to the address from before, stored in the same statement.',
    spec: 'NIST SP 800-63B-4 §4.6',
    machines: LINK,
    violation: (_, ports, move) => {
      if (usedBy(ports, move)?.purpose !== 'change_address' || ports.stored.user?.claims['email_verified'] !== true)
        return null;
      const [newest] = move.after.stored.challenges;
      const isThere =
        newest?.purpose === 'undo_change' && newest.state === 'active' && newest.address === emailOf(ports.stored);
      return isThere ? null : 'the address from before can undo nothing';
    },
  },
  {
    name: 'an-undo-ends-what-came-later',
    says: 'After a change is undone, every link that was sent since is invalid, those of a thief among them.',
    spec: 'NIST SP 800-63B-4 §4.6',
    machines: LINK,
    violation: (_, ports, move) => {
      const link = usedBy(ports, move);
      if (link?.purpose !== 'undo_change') return null;
      const later = ports.stored.challenges.filter(({ createdAt }) => createdAt >= link.createdAt);
      const left = move.after.stored.challenges.find(
        (one) => isGood(move.after.stored, one, ports.now) && later.some(({ id }) => id === one.id),
      );
      return left ? `${left.id} is still valid` : null;
    },
  },
  {
    name: 'used-and-superseded-stay-so',
    says: 'A link that was used or superseded never changes again.',
    machines: LINK,
    ...staysEnded<Terms, EmailChallenge>({
      rows: ({ challenges }) => challenges,
      nameOf: ({ id }) => id,
      hasEnded: ({ state }) => state !== 'active',
      fact: ({ state }) => state,
    }),
  },
  {
    name: 'every-press-is-answered',
    says: 'Every event of a link is answered, in every state that can be reached.',
    spec: 'RFC 9110 §15',
    machines: LINK,
    ...everythingIsAnswered(({ stored }) => requestsAt(stored)),
  },
  {
    name: 'a-valid-link-is-served',
    says: 'A valid link serves its purpose, and a new link can be sent. Nothing above holds because nothing works.',
    violationAt: (walk, ports) => {
      const { stored, now } = ports;
      for (const asked of requestsAt(stored)) {
        const after = storedAfter(walk, ports, asked);
        if (asked.kind === 'withdraw') {
          const isActive = stateOf(stored, asked.id) === 'active';
          if (isActive && after === null) return `${asked.id} cannot be withdrawn`;
          continue;
        }
        if (asked.kind === 'send') {
          const verified = stored.user?.claims['email_verified'] === true;
          const isLost = asked.purpose === 'lost_factors';
          const needsVerified = asked.purpose === 'reset_password' || isLost;
          const may =
            stored.user === null ||
            (isEnabled(stored) && (!needsVerified || verified) && !(isLost && isFromMail(stored)));
          if (may && after?.challenges[0]?.state !== 'active') return `no ${asked.purpose} link can be sent`;
          continue;
        }
        const link = stored.challenges.find(({ id }) => id === asked.id);
        if (link === undefined || !isGood(stored, link, now)) continue;
        if (asked.withPasskey && stored.passkeys.length > 0) continue;
        if (link.purpose === 'lost_factors' && (asked.withPassword !== true || isFromMail(stored))) continue;
        if (after === null || stateOf(after, link.id) !== 'used') return `${link.id} is valid, and does nothing`;
      }
      return null;
    },
  },
];

/** Derived from the stored rows, not by the machine under test. */
function isGood(stored: Stored, link: EmailChallenge, now: number): boolean {
  if (link.state !== 'active' || now >= link.endsAt.getTime()) return false;
  if (verifies(link) && link.address === stored.takenAddress) return false;
  // The username that is chosen for a second account may be that of the first.
  if (link.userId === null) return stored.user === null;
  if (!isEnabled(stored)) return false;
  if (link.purpose === 'undo_change') return true;
  if (stored.user?.epoch !== link.userEpoch) return false;
  if (link.purpose === 'change_address') return true;
  const isTheirs = emailOf(stored) === link.address;
  return isTheirs && (link.purpose === 'verify_address' || stored.user?.claims['email_verified'] === true);
}
