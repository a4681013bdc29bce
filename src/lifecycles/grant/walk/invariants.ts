/** The invariants of an authorization: for each, a sentence, its place in the standards, and the violations. */
import { grantState, sameBytes } from '../../../model/grant.ts';
import { BEGAN_AT } from '../../../review/proof/instants.ts';
import { armMissing, everythingIsAnswered } from '../../../review/proof/invariants.ts';
import type { ModelState, Move } from '../../../review/proof/moment.ts';
import { runAlone, storedAfter } from '../../../review/proof/moves.ts';
import { type Ending, type EndingEvent, OWNERS_STAND } from '../../../review/proof/owners.ts';
import type { Invariant, Walk } from '../../../review/proof/walk.ts';
import { grantLifecycle } from '../lifecycle.ts';
import {
  type Authorization,
  type AuthorizationWalk,
  CLIENT,
  type Credential,
  loadPresentation,
  RESOURCES,
  SCOPE,
  type Terms,
  THE_KEY,
  type Token,
} from './ports.ts';
import { type Probe, probesAt } from './probes.ts';
import { credentialsOf, presentedRightly } from './requests.ts';

type Ports = ModelState<Terms>;
const CHAIN = ['authorizationCode', 'refreshToken', 'grant'];
const CREDENTIALS = ['authorizationCode', 'refreshToken'];

export const INVARIANTS: readonly Invariant<Terms>[] = [
  {
    name: 'one-live-refresh-token',
    says: 'At most one refresh token of a chain is live, always.',
    spec: 'OAuth 2.1 §4.3.1, RFC 9700 §4.14.2',
    machines: ['refreshToken', 'grant'],
    violationAt: (walk, ports) => {
      const live = ports.known.tokens.filter((_, index) => wouldIssue(walk, ports, index));
      return live.length > 1
        ? `${live.length} refresh tokens would be exchanged: ${live.map(wordsOfToken).join(', ')}`
        : null;
    },
  },
  {
    name: 'reuse-ends-the-chain',
    says: 'After a reuse has been answered, or a revocation committed, nothing in that chain ever issues again.',
    spec: 'OAuth 2.1 §4.3.1, RFC 9700 §4.14.2, RFC 7009 §2',
    machines: CHAIN,
    violation: (_, { known, stored }, { commit }) => {
      if (known.ended && isIssuing(commit)) return 'tokens were issued after the chain had been ended';
      // A thief who rotates fast enough must not outrun it.
      const isRevocation = commit?.commit.kind === 'revoke';
      const outrun = isRevocation && !commit.held && stored.grant.state === 'active';
      return outrun ? 'a revocation was turned away, and the chain lived on' : null;
    },
    violationAt: (walk, ports) => {
      if (!ports.known.ended) return null;
      const live = credentialsOf(ports.known).find((one) => wouldIssue(walk, ports, one));
      return live === undefined
        ? null
        : `${wordsOf(ports, live)} would still be exchanged after the chain had been ended`;
    },
  },
  {
    name: 'code-once',
    says: 'A code yields tokens at most once, and a second valid presentation leaves no live token from the first.',
    spec: 'OAuth 2.1 §4.1.3, §7.5.3; RFC 6749 §4.1.2',
    machines: ['authorizationCode', 'grant'],
    violation: (_, { known }, { commit }) =>
      isIssuing(commit) && commit?.asked.credential === 'code' && known.spent.includes('code')
        ? 'the code was exchanged twice'
        : null,
  },
  {
    name: 'wrong-changes-nothing',
    says: 'A wrong verifier, redirect URI or client never yields tokens and never changes a state.',
    spec: 'OAuth 2.1 §4.1.3, §7.5.1.1; RFC 7636 §4.6',
    machines: CREDENTIALS,
    violationAt: (walk, ports) => {
      const probe = probesAt(walk, ports).find((one) => one.of === 'wrong' && (one.issues || one.writes || one.broken));
      return probe ? wordsOfProbe(ports, probe) : null;
    },
  },
  {
    name: 'bound-needs-its-key',
    says: 'A bound code or refresh token yields no tokens without a proof of its key, and the head of a chain stays as it is.',
    spec: 'RFC 9449 §5, §10',
    machines: CREDENTIALS,
    violationAt: (walk, ports) => {
      const probe = probesAt(walk, ports).find(
        (one) =>
          (one.of === 'unproven' || one.of === 'nonceless') &&
          (one.issues || one.broken || (one.writes && isHead(ports, one.credential))),
      );
      return probe ? wordsOfProbe(ports, probe) : null;
    },
  },
  {
    name: 'unproven-reuse-ends-the-chain',
    says: 'A used refresh token ends the chain when it comes without a proof of its key, under every policy.',
    spec: 'OAuth 2.1 §4.3.1, RFC 9700 §4.14.2',
    machines: ['refreshToken', 'grant'],
    violationAt: (walk, ports) => {
      if (!isInForce(ports)) return null;
      const probe = probesAt(walk, ports).find(
        (one) => one.of === 'unproven' && !one.writes && !isHead(ports, one.credential),
      );
      return probe ? `${wordsOf(ports, probe.credential)}, presented ${probe.what}, leaves the chain active` : null;
    },
  },
  {
    name: 'proven-retry-is-served',
    says: 'Where the policy has a retry, a used refresh token with a proof of its key ends nothing, and its successor is answered again.',
    spec: 'RFC 9700 §4.14.2',
    machines: ['refreshToken', 'grant'],
    violationAt: (walk, ports) => {
      if (!isInForce(ports) || retrySecondsOf(walk) === undefined) return null;
      for (const [index, token] of ports.known.tokens.entries()) {
        if (!isBehind(ports, token)) continue;
        const ran = runAlone(walk, ports, presentedRightly(ports.known, index));
        const kind = ran.kind === 'wants' && ran.next.kind === 'commit' ? ran.next.commit.kind : null;
        if (kind === 'revoke') return `${wordsOfToken(token)}, presented with its key, ends the chain`;
        if (kind !== 'repeatHead' && mayRetry(walk, ports, token))
          return `the successor of ${wordsOfToken(token)} is not answered again`;
      }
      return null;
    },
  },
  {
    name: 'retry-forks-nothing',
    says: 'A retry needs the policy, the key of the token and the time of it; it answers with the head, and the chain stays as it is.',
    spec: 'RFC 9700 §4.14.2',
    machines: ['refreshToken', 'grant'],
    violation: (walk, before, { commit, after }) => {
      if (commit?.held !== true || commit.commit.kind !== 'repeatHead') return null;
      const { asked } = commit;
      if (asked.kind !== 'token' || asked.said.proof.key !== THE_KEY) return 'a retry was answered without the key';
      if (!mayRetry(walk, before, asked.token)) return `${wordsOfToken(asked.token)} was answered with another token`;
      return isSameChain(before.stored, after.stored) ? null : 'a retry changed the chain';
    },
  },
  {
    name: 'nothing-dead-issues',
    says: 'Nothing that was expired, revoked or disabled when the commit happened issues.',
    spec: 'OAuth 2.1 §4.1.2, §4.3.1; RFC 9700 §4.14.2',
    machines: CHAIN,
    violation: (walk, before, { commit }) => {
      if (!isIssuing(commit)) return null;
      const { grant, client, user, serverEpoch } = before.stored;
      if (grant.state !== 'active') return 'tokens of a revoked grant were issued';
      if (client.isDeleted || client.epoch !== grant.clientEpoch)
        return 'tokens were issued to a client that had been ended';
      if (user.isDisabled || user.epoch !== grant.userEpoch)
        return 'tokens were issued for an end-user who had been disabled';
      if (serverEpoch !== grant.serverEpoch) return 'tokens of a grant were issued that the server had ended';
      const end =
        commit?.commit.kind === 'repeatHead'
          ? endOfHead(walk, before)
          : endOf(walk, before, commit?.asked.credential ?? null);
      return before.now >= end ? `tokens were issued ${before.now - end} ms after the end of what was presented` : null;
    },
  },
  {
    name: 'never-wider',
    says: 'Scope and resource never widen.',
    spec: 'RFC 6749 §6, RFC 8707 §2.2',
    machines: CREDENTIALS,
    violationAt: (walk, ports) => {
      const probe = probesAt(walk, ports).find((one) => one.of === 'tooMuch' && one.issues);
      return probe ? `${wordsOf(ports, probe.credential)}, presented ${probe.what}, yields tokens` : null;
    },
    violation: (_, __, { after: { stored } }) =>
      stored.grant.scope.join() === SCOPE.join() && stored.grant.resources.join() === RESOURCES.join()
        ? null
        : 'the approved scope or resources changed',
  },
  {
    name: 'within-the-ceiling-of-today',
    says: 'A request for more than the effective access of its client issues nothing, and spends no code and no refresh token.',
    spec: 'RFC 6749 §3.3, OpenID Connect Core §11',
    machines: CREDENTIALS,
    violationAt: (walk, ports) => {
      const probe = probesAt(walk, ports).find(
        (one) => one.of === 'withheld' && (one.issues || (one.writes && isHead(ports, one.credential))),
      );
      if (!probe) return null;
      return `${wordsOf(ports, probe.credential)}, presented ${probe.what}, ${probe.issues ? 'yields tokens' : 'changes what is stored'}`;
    },
  },
  {
    name: 'one-head',
    says: 'A crash or a lost response never leaves a chain with two heads.',
    spec: 'OAuth 2.1 §4.3.1',
    machines: ['refreshToken'],
    violation: (_, __, { answer, after }) => {
      if (answer === null || typeof answer.answer === 'boolean' || answer.answer.kind !== 'issued') return null;
      const token = answer.answer.issued;
      const { refreshGeneration: head, refreshNonce } = after.stored.grant;
      const isKnown =
        head !== null && (token.generation < head || (token.generation === head && token.nonce === refreshNonce?.[0]));
      return isKnown ? null : `${wordsOfToken(token)} left the server, and the chain does not know it`;
    },
  },
  {
    name: 'every-end-has-an-arm',
    says: 'Every way in which a grant ends is an arm of its machine.',
    spec: 'RFC 9700 §4.14.2, RFC 7009 §2',
    machines: ['grant'],
    violation: (walk, before, { after, action, commit }) => {
      if (grantState(grantOf(before.stored)) === 'revoked' || grantState(grantOf(after.stored)) === 'active')
        return null;
      if (action) return endsWithoutArm(walk, before, (action as Ending<Terms>).event);
      // A restored backup, recovered, is the operator's action as well.
      return commit === null ? endsWithoutArm(walk, before, 'serverRecovered') : null;
    },
  },
  {
    name: 'always-answered',
    says: 'Every reachable state × event is answered.',
    spec: 'RFC 6749 §5.1, §5.2',
    machines: CHAIN,
    ...everythingIsAnswered(() => []),
    violationAt: (walk, ports) => probesAt(walk, ports).find((one) => one.broken)?.broken ?? null,
  },
  {
    name: 'right-is-served',
    says: 'The client exchanges each credential that is unused, in time and in force: nothing above holds because nothing works.',
    spec: 'OAuth 2.1 §4.1.3, §4.3.1',
    machines: CREDENTIALS,
    violationAt: (walk, ports) => {
      const head = credentialsOf(ports.known).find((one) => isHead(ports, one));
      if (head === undefined || !isInForce(ports) || ports.now >= endOf(walk, ports, head)) return null;
      return wouldIssue(walk, ports, head) ? null : `${wordsOf(ports, head)} is not exchanged`;
    },
  },
];

type Commit = Move<Terms>['commit'];
const isIssuing = (commit: Commit): boolean => commit?.held === true && commit.commit.kind !== 'revoke';

const grantOf = (stored: Authorization) => loadPresentation(stored, CLIENT, new Date(BEGAN_AT)).grant;

const GRANT = { lifecycle: grantLifecycle, stateOf: grantState, what: 'grant', ended: 'revoked' };
const endsWithoutArm = (walk: Walk<Terms>, { stored, now }: Ports, type: EndingEvent | undefined): string | null =>
  armMissing(GRANT, grantOf(stored), { now: new Date(now), policy: null }, type ? { type } : null, walk.machineOf);

function isHead({ stored: { grant }, known: { tokens } }: Ports, credential: Credential): boolean {
  const token = credential === 'code' ? null : tokens[credential];
  if (!token) return grant.refreshGeneration === null;
  return token.generation === grant.refreshGeneration && token.nonce === grant.refreshNonce?.[0];
}

const isInForce = ({ stored }: Ports): boolean =>
  stored.grant.state === 'active' && Object.values(OWNERS_STAND).every((stands) => stands(stored, stored.grant));

/** Presented now by its client, all right: would tokens come of it? */
function wouldIssue(walk: Walk<Terms>, ports: Ports, credential: Credential): boolean {
  const asked = presentedRightly(ports.known, credential);
  return storedAfter(walk, ports, asked, ({ kind }) => kind === 'moveHead') !== null;
}

/** Worked out from the policy alone, not by the engine that is on trial. Milliseconds since 1970. */
function endOf(walk: Walk<Terms>, { known: { tokens } }: Ports, credential: Credential | null): number {
  const { lifetimes } = walk as AuthorizationWalk;
  if (credential === 'code' || credential === null) return BEGAN_AT + lifetimes.authorizationCodeLifetimeSeconds * 1000;
  const mintedAt = tokens[credential]?.mintedAt ?? 0;
  return Math.min(
    mintedAt + lifetimes.refreshIdleLifetimeSeconds * 1000,
    BEGAN_AT + lifetimes.refreshAbsoluteLifetimeSeconds * 1000,
  );
}

const retrySecondsOf = (walk: Walk<Terms>) => (walk as AuthorizationWalk).lifetimes.provenRetrySeconds;

const isBehind = ({ stored: { grant } }: Ports, { generation }: Token): boolean =>
  grant.refreshGeneration !== null && generation < grant.refreshGeneration;

/** Worked out from the policy and the row. Milliseconds since 1970. */
function endOfHead(walk: Walk<Terms>, { stored: { grant } }: Ports): number {
  const { lifetimes } = walk as AuthorizationWalk;
  return Math.min(
    (grant.lastUsedAt?.getTime() ?? 0) + lifetimes.refreshIdleLifetimeSeconds * 1000,
    BEGAN_AT + lifetimes.refreshAbsoluteLifetimeSeconds * 1000,
  );
}

const isSameChain = ({ grant: one }: Authorization, { grant: other }: Authorization): boolean =>
  one.refreshGeneration === other.refreshGeneration &&
  sameBytes(one.refreshNonce, other.refreshNonce) &&
  one.lastUsedAt?.getTime() === other.lastUsedAt?.getTime() &&
  one.chainEndsAt?.getTime() === other.chainEndsAt?.getTime();

/** A retry of this token, in time. */
function mayRetry(walk: Walk<Terms>, ports: Ports, { generation }: Token): boolean {
  const { grant } = ports.stored;
  const seconds = retrySecondsOf(walk);
  if (seconds === undefined || grant.refreshGeneration !== generation + 1n) return false;
  const retryEnd = (grant.lastUsedAt?.getTime() ?? 0) + seconds * 1000;
  return ports.now < Math.min(retryEnd, endOfHead(walk, ports));
}

const wordsOfToken = ({ generation }: Token) => `refresh token ${generation}`;

const wordsOf = (ports: Ports, credential: Credential): string => {
  const token = credential === 'code' ? null : ports.known.tokens[credential];
  return token ? wordsOfToken(token) : 'the code';
};

/** Of a presentation that had to change nothing. */
const wordsOfProbe = (ports: Ports, { credential, what, issues, broken }: Probe): string =>
  `${wordsOf(ports, credential)}, presented ${what}, ${issues ? 'yields tokens' : (broken ?? 'changes what is stored')}`;
