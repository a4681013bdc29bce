/**
 * The authorization as end-users know it. Their browser is signed in and they have allowed the client before, so the
 * response has a code immediately. Each time by another browser, as the exchange of the code follows.
 */
import { authorizeUrl, codeOf, exchangeFields, tokensFor } from '../requests.ts';
import type { Scenario } from './scenario.ts';

export const wholeAuthorization: Scenario = {
  name: 'whole-authorization',
  inFlight: [8],
  needs: [],
  isKnownTo: ({ authorizeUrl, seedBrowsers }) => authorizeUrl !== undefined && seedBrowsers !== undefined,
  prepare: async ({ seedBrowsers }, held, count) => {
    held.browsers = (await seedBrowsers?.(count)) ?? [];
  },
  operate: async ({ target, held, send, index }) => {
    const cookie = held.browsers[index]?.cookie ?? '';
    const code = codeOf(await send({ url: authorizeUrl(target.authorizeUrl ?? ''), cookie }));
    await tokensFor(send, target.tokenUrl, exchangeFields(code));
  },
};
