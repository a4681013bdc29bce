/** The interpreter's surface: what may be presented, and what may be asked of a grant. */
import { authorizationCodeMachine } from '../../machines/authorization-code.machine.ts';
import { refreshTokenMachine } from '../../machines/refresh-token.machine.ts';
import type {
  AuthorizationCodeContext,
  AuthorizationCodeEvent,
  RefreshTokenContext,
  RefreshTokenEvent,
} from '../../machines/vocabulary.ts';
import { authorizationCodeState, type ChainPlace, endedBy, isAheadOfChain, refreshTokenState } from './derive.ts';
import { chainEndsAt, codeEndsAt } from './lifetimes.ts';
import type { Outcome } from './outcome.ts';
import type { Loaded, LoadedGrant, PresentingClient } from './ports.ts';
import { type EngineDeps, type Presentation, present } from './present.ts';

type Present = Loaded & { readonly client: PresentingClient; readonly grant: LoadedGrant };
type Facts<Event> = Omit<Event, 'type' | 'now'>;
type Ways<Issued> = Pick<Presentation<Issued>, 'mint' | 'reload'>;

export function presentAuthorizationCode<Issued>(
  deps: EngineDeps,
  loaded: Present,
  facts: Facts<AuthorizationCodeEvent>,
  ways: Ways<Issued>,
): Promise<Outcome<Issued>> {
  return present(deps, loaded, {
    ...ways,
    machine: authorizationCodeMachine,
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
  });
}

export function presentRefreshToken<Issued>(
  deps: EngineDeps,
  loaded: Present,
  token: ChainPlace,
  facts: Facts<RefreshTokenEvent>,
  ways: Ways<Issued>,
): Promise<Outcome<Issued>> {
  return present(deps, loaded, {
    ...ways,
    machine: refreshTokenMachine,
    stateOf: (grant) => refreshTokenState(grant, token),
    contextOf: (grant, lifetimes): RefreshTokenContext => ({
      clientId: grant.clientId,
      scope: grant.scope,
      resources: grant.resources,
      endsAt: chainEndsAt(grant, lifetimes),
      endedBy: endedBy(grant),
      aheadOfChain: isAheadOfChain(grant, token),
    }),
    eventAt: (now): RefreshTokenEvent => ({ type: 'presented', now: now.getTime(), ...facts }),
  });
}
