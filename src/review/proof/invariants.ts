/** What must hold, each in a sentence, with where the standards say so, and how a violation of it is seen. */
import { APPROVED_AT, CLIENT, RESOURCES, SCOPE } from './beginning.ts';
import { type Move, presentationOf, run } from './moves.ts';
import { probesAt } from './probes.ts';
import type { System } from './system.ts';
import type { Credential, Token, World } from './world.ts';

export type Invariant = {
  readonly name: string;
  readonly says: string;
  readonly spec: string;
  /** What is wrong with this step, in words; null: nothing. */
  readonly brokenBy?: (system: System, before: World, move: Move) => string | null;
  /** What is wrong with this moment. Asked once for what it depends on: the stored rows, the time, what is out. */
  readonly brokenAt?: (system: System, world: World) => string | null;
};

export const INVARIANTS: readonly Invariant[] = [
  {
    name: 'one-live-refresh-token',
    says: 'At most one refresh token of a chain is live, always.',
    spec: 'OAuth 2.1 §4.3.1, RFC 9700 §4.14.2',
    brokenAt: (system, world) => {
      const live = world.tokens.filter((_, index) => wouldIssue(system, world, index));
      return live.length > 1
        ? `${live.length} refresh tokens would be exchanged: ${live.map(wordsOfToken).join(', ')}`
        : null;
    },
  },
  {
    name: 'reuse-ends-the-chain',
    says: 'After a reuse has been answered, or a revocation committed, nothing in that chain ever issues again.',
    spec: 'OAuth 2.1 §4.3.1, RFC 9700 §4.14.2, RFC 7009 §2',
    brokenBy: (_, before, { committed, happening }) => {
      if (before.ended && committed?.commit.kind === 'moveHead')
        return 'tokens were issued after the chain had been ended';
      const isRevocation =
        happening.kind === 'revocationCommitted' || (happening.kind === 'committed' && happening.what === 'revocation');
      // A thief who rotates fast enough must not outrun it.
      const outrun = isRevocation && !happening.held && before.stored.grant.state === 'active';
      return outrun ? 'a revocation was turned away, and the chain lived on' : null;
    },
    brokenAt: (system, world) => {
      if (!world.ended) return null;
      const live = credentialsOf(world).find((one) => wouldIssue(system, world, one));
      return live === undefined
        ? null
        : `${wordsOf(world, live)} would still be exchanged after the chain had been ended`;
    },
  },
  {
    name: 'code-once',
    says: 'A code yields tokens at most once, and a second valid presentation leaves no live token from the first.',
    spec: 'OAuth 2.1 §4.1.3, §7.5.3; RFC 6749 §4.1.2',
    brokenBy: (_, before, { committed }) =>
      committed?.commit.kind === 'moveHead' && committed.credential === 'code' && before.spent.includes('code')
        ? 'the code was exchanged twice'
        : null,
  },
  {
    name: 'wrong-changes-nothing',
    says: 'A wrong verifier, redirect URI or client never yields tokens and never changes a state.',
    spec: 'OAuth 2.1 §4.1.3, §7.5.2; RFC 7636 §4.6',
    brokenAt: (system, world) => {
      const probe = probesAt(system, world).find(
        (one) => one.of === 'wrong' && (one.issues || one.writes || one.broken),
      );
      if (!probe) return null;
      return `${wordsOf(world, probe.credential)}, presented ${probe.what}, ${probe.issues ? 'yields tokens' : (probe.broken ?? 'changes what is stored')}`;
    },
  },
  {
    name: 'nothing-dead-issues',
    says: 'Nothing that was expired, revoked or disabled when the commit happened issues.',
    spec: 'OAuth 2.1 §4.1.2, §4.3.1; RFC 9700 §4.14.2',
    brokenBy: (system, before, { committed }) => {
      if (committed?.commit.kind !== 'moveHead') return null;
      const { grant, client, user, serverEpoch } = before.stored;
      if (grant.state !== 'active') return 'tokens of a revoked grant were issued';
      if (client.isDeleted || client.epoch !== grant.clientEpoch)
        return 'tokens were issued to a client that had been ended';
      if (user.isDisabled || user.epoch !== grant.userEpoch)
        return 'tokens were issued for a person who had been disabled';
      if (serverEpoch !== grant.serverEpoch) return 'tokens of a grant were issued that the server had ended';
      const end = endOf(system, before, committed.credential);
      return before.now >= end ? `tokens were issued ${before.now - end} ms after the end of what was presented` : null;
    },
  },
  {
    name: 'never-wider',
    says: 'Scope and resource never widen.',
    spec: 'RFC 6749 §6, RFC 8707 §2.2',
    brokenAt: (system, world) => {
      const probe = probesAt(system, world).find((one) => one.of === 'tooMuch' && one.issues);
      return probe ? `${wordsOf(world, probe.credential)}, presented ${probe.what}, yields tokens` : null;
    },
    brokenBy: (_, __, { after: { stored } }) =>
      stored.grant.scope.join() === SCOPE.join() && stored.grant.resources.join() === RESOURCES.join()
        ? null
        : 'what was consented to was changed',
  },
  {
    name: 'one-head',
    says: 'A crash or a lost response never leaves a chain with two heads.',
    spec: 'OAuth 2.1 §4.3.1',
    brokenBy: (_, __, { happening, after }) => {
      if (happening.kind !== 'answered') return null;
      const { token } = happening;
      const { refreshGeneration: head, refreshNonce } = after.stored.grant;
      const isKnown =
        head !== null && (token.generation < head || (token.generation === head && token.nonce === refreshNonce?.[0]));
      return isKnown ? null : `${wordsOfToken(token)} left the server, and the chain does not know it`;
    },
  },
  {
    name: 'always-answered',
    says: 'Every reachable state × event is answered.',
    spec: 'RFC 6749 §5.1, §5.2',
    brokenBy: (_, __, { broken, happening }) =>
      // Nobody within these bounds is in another's way often enough: who gives up has gone in circles.
      broken ?? ('told' in happening && happening.told === 'too_many_conflicts' ? 'a request went in circles' : null),
    brokenAt: (system, world) => probesAt(system, world).find((one) => one.broken)?.broken ?? null,
  },
  {
    name: 'right-is-served',
    says: 'What is unused, in time and in force is exchanged for its client: nothing above holds because nothing works.',
    spec: 'OAuth 2.1 §4.1.3, §4.3.1',
    brokenAt: (system, world) => {
      const head = credentialsOf(world).find((one) => isHead(world, one));
      if (head === undefined || !isInForce(world) || world.now >= endOf(system, world, head)) return null;
      return wouldIssue(system, world, head) ? null : `${wordsOf(world, head)} is not exchanged`;
    },
  },
];

function isHead({ stored: { grant }, tokens }: World, credential: Credential): boolean {
  const token = credential === 'code' ? null : tokens[credential];
  if (!token) return grant.refreshGeneration === null;
  return token.generation === grant.refreshGeneration && token.nonce === grant.refreshNonce?.[0];
}

function isInForce({ stored: { grant, client, user, serverEpoch } }: World): boolean {
  const owners = !client.isDeleted && !user.isDisabled && client.epoch === grant.clientEpoch;
  return owners && grant.state === 'active' && user.epoch === grant.userEpoch && serverEpoch === grant.serverEpoch;
}

const credentialsOf = (world: World): readonly Credential[] => ['code', ...world.tokens.keys()];

/** Presented now by its client, all right: would tokens come of it? */
function wouldIssue(system: System, world: World, credential: Credential): boolean {
  const first = system.loadPresentation(world.stored, CLIENT, new Date(world.now));
  const ran = run(system, presentationOf(system, world, credential), { first, nonce: 30, answers: [] });
  if (!('next' in ran) || ran.next.kind !== 'commit' || ran.next.commit.kind !== 'moveHead') return false;
  return system.moveHead(world.stored, ran.next.commit.move, new Date(world.now)) !== null;
}

/** Worked out from the policy alone, not by the engine that is on trial. Milliseconds since 1970. */
function endOf({ lifetimes }: System, world: World, credential: Credential | null): number {
  if (credential === 'code' || credential === null)
    return APPROVED_AT + lifetimes.authorizationCodeLifetimeSeconds * 1000;
  const mintedAt = world.tokens[credential]?.mintedAt ?? 0;
  return Math.min(
    mintedAt + lifetimes.refreshIdleLifetimeSeconds * 1000,
    APPROVED_AT + lifetimes.refreshAbsoluteLifetimeSeconds * 1000,
  );
}

const wordsOfToken = ({ generation }: Token) => `refresh token ${generation}`;

const wordsOf = (world: World, credential: Credential): string => {
  const token = credential === 'code' ? null : world.tokens[credential];
  return token ? wordsOfToken(token) : 'the code';
};
