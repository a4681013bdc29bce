/** At the token endpoint, one request each. */
import {
  clientCredentialsFields,
  clientRequest,
  exchangeFields,
  expected,
  refreshFields,
  tokensFor,
} from '../requests.ts';
import { always, nothing, type Scenario } from './scenario.ts';

export const clientCredentials: Scenario = {
  name: 'client-credentials',
  inFlight: [8, 32],
  needs: [],
  isKnownTo: always,
  prepare: nothing,
  operate: async ({ target, send }) => {
    await tokensFor(send, target.tokenUrl, clientCredentialsFields);
  },
};

export const codeExchange: Scenario = {
  name: 'code-exchange',
  inFlight: [8],
  needs: [],
  isKnownTo: always,
  // Just before they are exchanged: codes do not live long.
  prepare: async (target, held, count) => {
    held.codes = await target.seedCodes(count);
  },
  operate: async ({ target, held, send, index }) => {
    const tokens = await tokensFor(send, target.tokenUrl, exchangeFields(held.codes[index] ?? ''));
    held.heads[index] = tokens.refresh_token;
    held.accessTokens[index] = tokens.access_token;
  },
};

export const rotation: Scenario = {
  name: 'rotation',
  inFlight: [8, 32],
  needs: [codeExchange.name],
  isKnownTo: always,
  prepare: nothing,
  operate: async ({ target, held, send, index }) => {
    const head = held.heads[index] ?? '';
    const tokens = await tokensFor(send, target.tokenUrl, refreshFields(head));
    held.used[index] = head;
    held.heads[index] = tokens.refresh_token;
  },
};

export const reuse: Scenario = {
  name: 'reuse',
  inFlight: [8],
  needs: [codeExchange.name, rotation.name],
  isKnownTo: always,
  prepare: nothing,
  operate: async ({ target, held, send, index }) => {
    expected(await send(clientRequest(target.tokenUrl, refreshFields(held.used[index] ?? ''))), 400);
  },
};

const REPEATING_CLIENTS = 10;

/** After a reuse: a client that does not stop. */
export const repeat: Scenario = {
  name: 'repeat',
  inFlight: [8],
  needs: [codeExchange.name, rotation.name, reuse.name],
  isKnownTo: always,
  prepare: nothing,
  operate: async ({ target, held, send, index }) => {
    const used = held.used[index % REPEATING_CLIENTS] ?? '';
    expected(await send(clientRequest(target.tokenUrl, refreshFields(used))), 400);
  },
};
