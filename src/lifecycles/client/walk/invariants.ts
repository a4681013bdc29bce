/** The invariants of clients and end-users under administration: for each, a sentence and the violations. */
import { isDeepStrictEqual } from 'node:util';
import { actorName } from '../../../model/actor.ts';
import type { RegisteredUser } from '../../../model/user.ts';
import { WITHOUT_SECRET } from '../../../oauth/client-methods.ts';
import type { DefinedInvariant } from '../../../review/proof/define-walk.ts';
import { everythingIsAnswered } from '../../../review/proof/invariants.ts';
import type { ModelState } from '../../../review/proof/moment.ts';
import { storedAfter } from '../../../review/proof/moves.ts';
import type { Walk } from '../../../review/proof/walk.ts';
import { userState } from '../../user/lifecycle.ts';
import { clientState } from '../lifecycle.ts';
import {
  type Asked,
  type AskedOfClient,
  type AskedOfUser,
  clientOf,
  passwordOf,
  type Stored,
  TAKEN,
  TAKEN_ADDRESS,
  type Terms,
  userOf,
  versionBefore,
  versionIn,
} from './ports.ts';
import { requestsAt } from './requests.ts';

type Ports = ModelState<Terms>;

/** The client or the end-user. */
const ownerOf = (stored: Stored) => clientOf(stored) ?? userOf(stored);
/** The same password may have been hashed again. */
const hasNewPasswordIn = (before: Stored, after: Stored): boolean =>
  passwordOf(userOf(before)?.passwordHash) !== passwordOf(userOf(after)?.passwordHash);
const stateOf = ({ row }: Stored): string => ('client' in row ? clientState(row) : userState(row));

/** Outside this walk, each new password has another hash. */
const ENDINGS: readonly string[] = ['deletionRequested', 'disableRequested', 'passwordChangeRequested'];

const changesIn = (asked: Asked): readonly Asked['change'][] =>
  asked.kind === 'user' && asked.next ? [asked.change, asked.next] : [asked.change];

/** Two hashes do not show whether they are of the same password, so another hash counts as another password, unless an import brought it before. */
function bringsHash(change: Asked['change'], before: RegisteredUser | null): boolean {
  if (change.type !== 'registrationRequested' || !('passwordHash' in change.registration)) return false;
  const { passwordHash, importedHash } = change.registration;
  const isTakenOver = importedHash !== undefined && importedHash === before?.importedHash;
  return passwordHash !== null && passwordHash !== before?.passwordHash && !isTakenOver;
}

const CLIENT = ['client'];
const USER = ['user'];

export const INVARIANTS: readonly DefinedInvariant<Terms>[] = [
  {
    name: 'no-lost-change',
    says: 'A change replaces only the version that its decision has read: the change of another administrator is not lost.',
    violation: (_, { stored }, { commit }) => {
      if (!commit?.held) return null;
      return versionBefore(commit.commit) === versionIn(stored) ? null : 'another change was overwritten unseen';
    },
  },
  {
    name: 'meant-for-what-was-seen',
    says: 'A change that names the version which the administrator saw is made to no other version.',
    violation: (_, { stored }, { commit }) => {
      if (!commit?.held || commit.asked.expected === null) return null;
      return isDeepStrictEqual(stored.row, commit.asked.expected) ? null : 'it was changed since it was seen';
    },
  },
  {
    name: 'what-ended-stays-ended',
    says: 'Deleting, disabling and a new password raise the epoch, which never falls: no grant and no session from before comes back.',
    spec: 'OAuth 2.1 §4.3.1',
    violation: (_, { stored }, { after }) => {
      const [before, now] = [ownerOf(stored), ownerOf(after.stored)];
      if (before === null || now === null) return null;
      if (now.epoch < before.epoch) return 'the epoch has fallen';
      const [from, to] = [stateOf(stored), stateOf(after.stored)];
      const ends = from !== to && (to === 'deleted' || to === 'disabled');
      const hasNewPassword = hasNewPasswordIn(stored, after.stored);
      return (ends || hasNewPassword) && now.epoch === before.epoch ? `it is ${to}, and its epoch stands` : null;
    },
  },
  {
    name: 'only-endings-end',
    says: 'Every other change leaves grants and sessions active.',
    spec: 'RFC 7592 §2.2',
    violation: (_, { stored }, { after, commit }) => {
      if (!commit?.held) return null;
      const [before, now] = [ownerOf(stored), ownerOf(after.stored)];
      if (before === null || now === null || now.epoch === before.epoch) return null;
      const { change } = commit.asked;
      const ends = changesIn(commit.asked).some(({ type }) => ENDINGS.includes(type));
      const hasNewPassword = hasNewPasswordIn(stored, after.stored);
      return ends || hasNewPassword || bringsHash(change, userOf(stored)) ? null : `${change.type} ended grants`;
    },
  },
  {
    name: 'all-changes-or-none',
    says: 'A request for several changes makes all of them or none, and each has its entry in the ledger.',
    spec: 'RFC 5789 §2',
    machines: USER,
    violation: (_, { stored }, { after, commit }) => {
      if (commit?.asked.kind !== 'user' || commit.asked.next === undefined) return null;
      const [before, now] = [userOf(stored), userOf(after.stored)];
      const { change, next } = commit.asked;
      if (!commit.held || change.type !== 'registrationRequested' || before === null || now === null) return null;
      const isRenamed = now.username === change.registration.username;
      const isDisabled = now.disabledAt !== null;
      if (!isRenamed || isDisabled !== (next.type === 'disableRequested')) return 'one of two changes was made';
      const made = Number(now.username !== before.username) + Number(isDisabled !== (before.disabledAt !== null));
      return commit.commit.entries.length === made ? null : 'a change has no entry';
    },
  },
  {
    name: 'a-new-hash-is-of-the-same-password',
    says: 'A sign-in that hashes the password again replaces no newer password, and no other column of the end-user.',
    spec: 'NIST SP 800-63B-4 §3.1.1.2',
    machines: USER,
    violation: (_, { stored }, { after, commit }) => {
      if (!commit?.held || commit.asked.change.type !== 'passwordRehashed') return null;
      const [before, now] = [userOf(stored), userOf(after.stored)];
      if (before === null || now === null || before.passwordHash !== commit.asked.change.checked)
        return 'another password was replaced';
      return isDeepStrictEqual({ ...now, passwordHash: null }, { ...before, passwordHash: null })
        ? null
        : 'more than the hash has changed';
    },
  },
  {
    name: 'one-or-two-secrets',
    says: 'A client that authenticates with a secret has one or two; any other client, and a deleted client, has none.',
    spec: 'OAuth 2.1 §2.4',
    machines: CLIENT,
    violationAt: (_, { stored }) => {
      const client = clientOf(stored);
      if (client === null) return null;
      const live = client.secretMacs.length;
      const none = client.deletedAt !== null || WITHOUT_SECRET.includes(client.tokenEndpointAuthMethod);
      if (none) return live === 0 ? null : 'it has a secret';
      return live === 1 || live === 2 ? null : `it has ${live} secrets`;
    },
  },
  {
    name: 'files-are-the-place',
    says: 'Only configuration changes a client that configuration declares.',
    spec: 'docs/configuration.md',
    machines: CLIENT,
    violation: (_, { stored }, { commit }) => {
      const isDeclared = stateOf(stored) === 'registered' && clientOf(stored)?.declared === true;
      return isDeclared && commit?.held && commit.asked.actor.kind !== 'configuration'
        ? 'an administrator changed a declared client'
        : null;
    },
  },
  {
    name: 'erased-for-good',
    says: 'Nothing but the sub is left of a deleted end-user, and nothing changes it.',
    spec: 'OpenID Connect Core §2',
    machines: USER,
    violation: (_, { stored }, { after }) =>
      stateOf(stored) === 'deleted' &&
      userOf(stored) !== null &&
      !isDeepStrictEqual(userOf(stored), userOf(after.stored))
        ? 'a deleted end-user has changed'
        : null,
    violationAt: (_, { stored }) => {
      const user = userOf(stored);
      if (user === null || user.deletedAt === null) return null;
      const isErased = user.username === '' && user.passwordHash === '' && Object.keys(user.claims).length === 0;
      return isErased && user.disabledAt !== null ? null : 'something is left of a deleted end-user';
    },
  },
  {
    name: 'who-asked-is-written',
    says: 'Every change has a ledger entry that names its actor.',
    spec: 'NIST SP 800-92 §2.1',
    violation: (_, __, { commit }) => {
      if (!commit?.held) return null;
      const asked = actorName(commit.asked.actor);
      const isNamed = commit.commit.entries.every(({ actor }) => actor && actorName(actor) === asked);
      return isNamed ? null : 'an entry does not say who asked';
    },
  },
  {
    name: 'acknowledged-is-stored',
    says: 'A change that was acknowledged was stored.',
    spec: 'RFC 9110 §15.3.1',
    violation: (_, __, { after: { known }, answer }) => {
      if (answer?.answer.kind !== 'done') return null;
      const { before } = answer.answer;
      const now = 'client' in answer.answer ? answer.answer.client : answer.answer.user;
      const isChange = !isDeepStrictEqual(before, now);
      return isChange && !known.stored.some((row) => isDeepStrictEqual(row, now))
        ? 'the change was never stored'
        : null;
    },
  },
  {
    name: 'every-line-is-a-change',
    says: 'Every write changes the stored row: the ledger has no entry without a change.',
    spec: 'RFC 9110 §9.2.2',
    violation: (_, { stored }, { after, commit }) => {
      // Outside this walk, each new secret is another.
      if (!commit?.held || commit.asked.change.type === 'secretReplacementRequested') return null;
      return isDeepStrictEqual(stored.row, after.stored.row) ? 'a write changed nothing' : null;
    },
  },
  {
    name: 'one-username-each',
    says: 'No two end-users have the same username.',
    spec: 'OpenID Connect Core §5.7',
    machines: USER,
    violationAt: (_, { stored }) => (userOf(stored)?.username === TAKEN ? 'two end-users are called the same' : null),
  },
  {
    name: 'one-address-each',
    says: 'No two end-users sign in by the same address.',
    spec: 'OpenID Connect Core §5.7',
    machines: USER,
    violationAt: (_, { stored }) =>
      userOf(stored)?.signInAddress === TAKEN_ADDRESS ? 'two end-users sign in by one address' : null,
  },
  {
    name: 'every-administrator-is-answered',
    says: 'Every event of a client and of an end-user is answered, in every state that can be reached.',
    spec: 'RFC 9110 §15',
    ...everythingIsAnswered(({ stored }) => requestsAt(stored)),
  },
  {
    name: 'administrator-is-served',
    says: 'The server carries out every permitted request. Nothing above holds because nothing works.',
    spec: 'RFC 7592 §2',
    violationAt: (walk, ports) => {
      for (const asked of requestsAt(ports.stored)) {
        const unserved =
          asked.kind === 'client' ? unservedClient(walk, ports, asked) : unservedUser(walk, ports, asked);
        if (unserved)
          return `${asked.change.type} by ${asked.actor.kind} while ${stateOf(ports.stored)} does not do what it says`;
      }
      return null;
    },
  },
];

const afterOf = (walk: Walk<Terms>, ports: Ports, asked: Asked): Stored =>
  storedAfter(walk, ports, asked) ?? ports.stored;

/** Derived from the stored rows, not by the machine under test. */
function unservedClient(walk: Walk<Terms>, ports: Ports, asked: AskedOfClient): boolean {
  const client = clientOf(ports.stored);
  const isRegistered = client !== null && client.deletedAt === null;
  const after = clientOf(afterOf(walk, ports, asked));
  const { change, actor } = asked;
  if (isRegistered && client.declared && actor.kind !== 'configuration') return false;
  const live = isRegistered ? client.secretMacs : [];
  const isConfidential = isRegistered && !WITHOUT_SECRET.includes(client.tokenEndpointAuthMethod);
  switch (change.type) {
    case 'registrationRequested': {
      const { epoch: _, deletedAt, ...rest } = after ?? { epoch: 0n, deletedAt: null };
      return deletedAt !== null || !isDeepStrictEqual(rest, change.registration);
    }
    case 'secretRequested':
      if (!isConfidential || live.length > 1) return false;
      return !isDeepStrictEqual(after?.secretMacs, [...live, change.secret]);
    case 'secretReplacementRequested':
      return isConfidential && !isDeepStrictEqual(after?.secretMacs, [change.secret]);
    case 'secretRemovalRequested': {
      const rest = live.filter(({ id }) => id !== change.secretId);
      return rest.length === 1 && live.length === 2 && !isDeepStrictEqual(after?.secretMacs, rest);
    }
    case 'deletionRequested':
      return isRegistered && after?.deletedAt === null;
  }
}

/** Derived from the stored rows, not by the machine under test. */
function unservedUser(walk: Walk<Terms>, ports: Ports, asked: AskedOfUser): boolean {
  const user = userOf(ports.stored);
  if (user !== null && user.deletedAt !== null) return false;
  const after = userOf(afterOf(walk, ports, asked));
  const { change } = asked;
  if (change.type === 'registrationRequested') {
    const { username, claims, passwordHash, importedHash } = change.registration;
    if (username === TAKEN || claims['email'] === TAKEN_ADDRESS) return false;
    const isTakenOver = importedHash !== undefined && user?.importedHash === importedHash;
    const wanted = isTakenOver ? user?.passwordHash : passwordHash;
    const hasPassword = passwordHash === null || after?.passwordHash === wanted;
    return after?.username !== username || !isDeepStrictEqual(after.claims, claims) || !hasPassword;
  }
  if (user === null) return false;
  switch (change.type) {
    case 'passwordChangeRequested':
      return user.disabledAt === null && after?.passwordHash !== change.passwordHash;
    case 'disableRequested':
      return after?.disabledAt === null;
    case 'enableRequested':
      return after?.disabledAt !== null;
    case 'deletionRequested':
      return after?.deletedAt === null;
    case 'passwordRehashed': {
      const mayChange = user.disabledAt === null && user.passwordHash === change.checked;
      return after?.passwordHash !== (mayChange ? change.passwordHash : user.passwordHash);
    }
  }
}
