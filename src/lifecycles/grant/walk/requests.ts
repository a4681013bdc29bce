/** Presentations by a holder with every parameter right; a wrong presentation (probes.ts) changes one part. */
import type { AccessToday } from '../../../model/grant.ts';
import type { Lifetimes } from '../../../model/lifetimes.ts';
import { NO_PROOF } from '../../../model/proof.ts';
import { type Asking, askingFor } from '../../../review/proof/define-walk.ts';
import { authorizationCodeRequest, type PresentedCode } from '../../authorization-code/lifecycle.ts';
import type { PresentationPolicy } from '../../presentation.ts';
import { type PresentedRefreshToken, type PresentedToken, refreshTokenRequest } from '../../refresh-token/lifecycle.ts';
import { revocationRequest } from '../lifecycle.ts';
import {
  type Asked,
  allOfIt,
  CHALLENGE,
  CLIENT,
  type Credential,
  type Known,
  REDIRECT_URI,
  type Terms,
  THE_KEY,
  type Token,
} from './ports.ts';

export const RIGHT_CODE: PresentedCode = {
  clientId: CLIENT.clientId,
  redirectUri: REDIRECT_URI,
  challengeOfVerifier: CHALLENGE,
  proof: { ...NO_PROOF, key: THE_KEY },
  resources: null,
};
export const RIGHT_TOKEN: PresentedRefreshToken = {
  clientId: CLIENT.clientId,
  proof: { ...NO_PROOF, key: THE_KEY },
  clientProvesKey: false,
  scope: null,
  resources: null,
};

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

const unproven = new WeakMap<Token, Asked>();

/** Refresh tokens, presented by a thief who has none of the keys. */
export const presentedWithoutKey = ({ tokens }: Pick<Known, 'tokens'>): readonly Asked[] =>
  tokens.map((token, credential) => {
    const asked = unproven.get(token) ?? {
      kind: 'token',
      credential,
      token,
      said: { ...RIGHT_TOKEN, proof: NO_PROOF },
    };
    unproven.set(token, asked);
    return asked;
  });

export const credentialsOf = ({ tokens }: Pick<Known, 'tokens'>): readonly Credential[] => ['code', ...tokens.keys()];

export const askingUnder = (lifetimes: Lifetimes): Asking<Terms> => {
  const policy = (today?: Partial<AccessToday>): PresentationPolicy<Token> => ({
    lifetimesOf: () => lifetimes,
    accessToday: (grant) => ({ ...allOfIt(grant), ...today }),
    mint,
  });
  const { begins, ...asking } = askingFor<Terms>({
    code: {
      name: 'the code',
      from: 'A client presents',
      request: ({ said, today }, draw) => authorizationCodeRequest(said, policy(today), nonceBytes(draw)),
    },
    token: {
      // In the order in which they left the server.
      name: ({ credential, said }) =>
        `refresh token ${credential + 1}${said.proof.key === null ? ' without its key' : ''}`,
      from: 'A client presents',
      request: ({ token, said, today }, draw) =>
        refreshTokenRequest(placeOf(token), said, policy(today), nonceBytes(draw)),
    },
    revocation: {
      name: 'the revocation',
      from: 'A client asks for',
      request: () => revocationRequest,
    },
  });
  return {
    ...asking,
    begins: (asked, known) => {
      const isAgain = asked.credential !== null && known.spent.includes(asked.credential);
      return `${begins(asked, known)}${isAgain ? ' once more' : ''}`;
    },
  };
};

const mint: PresentationPolicy<Token>['mint'] = ({ refreshGeneration, refreshNonce, lastUsedAt }): Token => ({
  generation: refreshGeneration ?? -1n,
  nonce: refreshNonce?.[0] ?? 0,
  // A retry makes the same token again.
  mintedAt: lastUsedAt?.getTime() ?? 0,
});

const placeOf = ({ generation, nonce }: Pick<Token, 'generation' | 'nonce'>): PresentedToken => ({
  generation,
  nonce: nonceBytes(nonce),
  boundTo: THE_KEY,
});

const nonceBytes = (draw: number): Uint8Array => NONCES[draw] ?? new Uint8Array(16).fill(draw);
const NONCES = Array.from({ length: 32 }, (_, draw) => new Uint8Array(16).fill(draw));
