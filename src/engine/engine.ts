/** The interpreter's surface: what may be presented, and what may be asked of a grant. */
import type { AnyStateMachine } from 'xstate';
import { authorizationCodeMachine } from '../../machines/authorization-code.machine.ts';
import { grantMachine } from '../../machines/grant.machine.ts';
import { refreshTokenMachine } from '../../machines/refresh-token.machine.ts';
import type {
  AuthorizationCodeContext,
  AuthorizationCodeEvent,
  RefreshTokenContext,
  RefreshTokenEvent,
} from '../../machines/vocabulary.ts';
import type { Grant } from '../model/grant.ts';
import { authorizationCodeState, type ChainPlace, endedBy, isAheadOfChain, refreshTokenState } from '../model/grant.ts';
import { chainEndsAt, codeEndsAt, type Lifetimes } from '../model/lifetimes.ts';
import { decide, effectOf } from './decide.ts';
import type { Outcome } from './outcome.ts';
import { type EngineDeps, type Present, type Presentation, present } from './present.ts';

type Facts<Event> = Omit<Event, 'type' | 'now'>;
type Ways<Issued> = Pick<Presentation<Issued>, 'mint' | 'reload'>;

export const presentAuthorizationCode = <Issued>(
  deps: EngineDeps,
  loaded: Present,
  facts: Facts<AuthorizationCodeEvent>,
  ways: Ways<Issued>,
): Promise<Outcome<Issued>> => present(deps, loaded, authorizationCodePresentation(facts, ways));

export const presentRefreshToken = <Issued>(
  deps: EngineDeps,
  loaded: Present,
  token: ChainPlace,
  facts: Facts<RefreshTokenEvent>,
  ways: Ways<Issued>,
): Promise<Outcome<Issued>> => present(deps, loaded, refreshTokenPresentation(token, facts, ways));

/** The machines that serve; whoever reviews may put others in their place, to see what would follow. */
export const MACHINES = {
  authorizationCode: authorizationCodeMachine as AnyStateMachine,
  refreshToken: refreshTokenMachine as AnyStateMachine,
  grant: grantMachine as AnyStateMachine,
};

export function authorizationCodePresentation<Issued>(
  facts: Facts<AuthorizationCodeEvent>,
  ways: Ways<Issued>,
  machines = MACHINES,
): Presentation<Issued> {
  return {
    ...ways,
    machine: machines.authorizationCode,
    grantMachine: machines.grant,
    stateOf: authorizationCodeState,
    contextOf: (grant, lifetimes): AuthorizationCodeContext => ({
      clientId: grant.clientId,
      redirectUri: grant.redirectUri,
      codeChallenge: grant.codeChallenge,
      resources: grant.resources,
      endsAt: codeEndsAt(grant, lifetimes),
      endedBy: endedBy(grant),
    }),
    eventAt: (now): AuthorizationCodeEvent => ({ type: 'presented', now: now.getTime(), ...facts }),
  };
}

export function refreshTokenPresentation<Issued>(
  token: ChainPlace,
  facts: Facts<RefreshTokenEvent>,
  ways: Ways<Issued>,
  machines = MACHINES,
): Presentation<Issued> {
  return {
    ...ways,
    machine: machines.refreshToken,
    grantMachine: machines.grant,
    stateOf: (grant) => refreshTokenState(grant, token),
    contextOf: (grant, lifetimes) => refreshTokenContext(grant, token, lifetimes),
    eventAt: (now): RefreshTokenEvent => ({ type: 'presented', now: now.getTime(), ...facts }),
  };
}

/**
 * Would this token be exchanged if its client presented it now? The machine is asked, so that nobody else knows what makes a
 * token good; its answer is thrown away, and nothing is presented.
 */
export function refreshTokenWouldIssue(grant: Grant, token: ChainPlace, now: Date, lifetimes: Lifetimes): boolean {
  const state = refreshTokenState(grant, token);
  const facts = { clientId: grant.clientId, scope: null, resources: null };
  const event: RefreshTokenEvent = { type: 'presented', now: now.getTime(), ...facts };
  const decision = decide(refreshTokenMachine, state, refreshTokenContext(grant, token, lifetimes), event);
  return effectOf(decision, 'issueTokens') !== undefined;
}

const refreshTokenContext = (grant: Grant, token: ChainPlace, lifetimes: Lifetimes): RefreshTokenContext => ({
  clientId: grant.clientId,
  scope: grant.scope,
  resources: grant.resources,
  endsAt: chainEndsAt(grant, lifetimes),
  endedBy: endedBy(grant),
  aheadOfChain: isAheadOfChain(grant, token),
});
