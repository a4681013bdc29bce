/** Presentations by a holder with every parameter right; a wrong presentation (probes.ts) changes one part. */
import { authorizationCodeRequest, type PresentedCode } from '../../../lifecycles/authorization-code/lifecycle.ts';
import { revocationRequest } from '../../../lifecycles/grant/lifecycle.ts';
import type { PresentationWays } from '../../../lifecycles/presentation.ts';
import { type PresentedRefreshToken, refreshTokenRequest } from '../../../lifecycles/refresh-token/lifecycle.ts';
import type { AccessToday, ChainPlace } from '../../../model/grant.ts';
import type { Lifetimes } from '../../../model/lifetimes.ts';
import type { EngineRequest } from '../walk.ts';
import { allOfIt, CHALLENGE, CLIENT, REDIRECT_URI } from './initial-state.ts';
import type { Asked, Credential, Known, Terms, Token } from './terms.ts';

export const RIGHT_CODE: PresentedCode = {
  clientId: CLIENT.clientId,
  redirectUri: REDIRECT_URI,
  challengeOfVerifier: CHALLENGE,
  resources: null,
};
export const RIGHT_TOKEN: PresentedRefreshToken = { clientId: CLIENT.clientId, scope: null, resources: null };

const CODE: Asked = { kind: 'code', credential: 'code', said: RIGHT_CODE };
export const REVOCATION: Asked = { kind: 'revocation', credential: null };

const presented = new WeakMap<Token, Asked>();

/** Presented by its client, all right. */
export function presentedRightly({ tokens }: Pick<Known, 'tokens'>, credential: Credential): Asked {
  if (credential === 'code') return CODE;
  const token = tokens[credential];
  if (!token) throw new Error(`There is no refresh token ${credential}.`);
  const asked = presented.get(token) ?? { kind: 'token', credential, token, said: RIGHT_TOKEN };
  presented.set(token, asked);
  return asked;
}

export const credentialsOf = ({ tokens }: Pick<Known, 'tokens'>): readonly Credential[] => ['code', ...tokens.keys()];

export const requestsUnder = (lifetimes: Lifetimes) => {
  const ways = (today?: Partial<AccessToday>): PresentationWays<Token> => ({
    lifetimesOf: () => lifetimes,
    accessToday: (grant) => ({ ...allOfIt(grant), ...today }),
    mint,
  });
  return (asked: Asked, draw: number): EngineRequest<Terms> => {
    switch (asked.kind) {
      case 'code':
        return authorizationCodeRequest(asked.said, ways(asked.today), nonceBytes(draw));
      case 'token':
        return refreshTokenRequest(placeOf(asked.token), asked.said, ways(asked.today), nonceBytes(draw));
      case 'revocation':
        return revocationRequest;
    }
  };
};

const mint: PresentationWays<Token>['mint'] = ({ refreshGeneration, refreshNonce }, _, { now }): Token => ({
  generation: refreshGeneration ?? -1n,
  nonce: refreshNonce?.[0] ?? 0,
  mintedAt: now.getTime(),
});

export const placeOf = ({ generation, nonce }: Pick<Token, 'generation' | 'nonce'>): ChainPlace => ({
  generation,
  nonce: nonceBytes(nonce),
});

export const nonceBytes = (draw: number): Uint8Array => NONCES[draw] ?? new Uint8Array(16).fill(draw);
const NONCES = Array.from({ length: 32 }, (_, draw) => new Uint8Array(16).fill(draw));
