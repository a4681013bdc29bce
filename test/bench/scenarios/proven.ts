/** With a DPoP proof at each request (RFC 9449). */
import { type ProofKey, proofKey, proofOf } from '../../support/dpop.ts';
import { clientRequest, expected, refreshFields } from '../requests.ts';
import { nothing, type Scenario } from './scenario.ts';
import { codeExchange } from './token-requests.ts';

let key: ProofKey | undefined;

export const provenRotation: Scenario = {
  name: 'rotation-dpop',
  inFlight: [8, 32],
  needs: [codeExchange.name],
  isKnownTo: ({ proofUrl }) => proofUrl !== undefined,
  prepare: nothing,
  operate: async ({ target: { tokenUrl, proofUrl = '' }, held, send, index }) => {
    key ??= await proofKey();
    const dpop = proofOf(key, { url: proofUrl, now: new Date() });
    const sent = { ...clientRequest(tokenUrl, refreshFields(held.heads[index] ?? '')), dpop };
    const tokens = JSON.parse(expected(await send(sent), 200).text);
    if (tokens.token_type !== 'DPoP') throw new Error(`token_type is ${tokens.token_type}`);
    held.heads[index] = tokens.refresh_token;
  },
};
