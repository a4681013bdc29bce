/** Another place to sign in: a Statehouse too, with an account of each who goes there. */
import type { Actor } from '../../../../src/review/simulation/scenario.ts';
import { goThrough, makeClient, makeUser, type TestUser } from '../../../support/actors.ts';
import { shippedConfiguration } from '../../../support/app.ts';
import { Browser } from '../../../support/browser.ts';
import type { TestClock } from '../../../support/clock.ts';
import { anyDatabase, openTestDatabase } from '../../../support/database.ts';
import { listen } from '../../../support/listening.ts';
import { CALLBACK, pathOf } from '../../../support/upstream.ts';

export type Elsewhere = {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** For one scenario: the accounts are new. */
  readonly accounts: () => SignInThere;
  readonly close: () => Promise<void>;
};

/** @param url to which the browser was sent. @returns path and query of the callback, with the answer. */
export type SignInThere = (actor: Actor, url: string) => Promise<string>;

/** An answer may be under way for some minutes. */
const policies = new Map(
  [...shippedConfiguration.policies].map(([name, policy]) => [
    name,
    { ...policy, authorizationCodeLifetimeSeconds: 600 },
  ]),
);

export async function openElsewhere(clock: TestClock): Promise<Elsewhere> {
  const opened = await openTestDatabase(anyDatabase);
  const server = await listen(opened.database, { clock, configuration: { ...shippedConfiguration, policies } });
  const client = await makeClient(server, { redirectUris: [CALLBACK] });
  const accounts = (): SignInThere => {
    const users = new Map<Actor['name'], TestUser>();
    return async ({ name }, url) => {
      const user = users.get(name) ?? (await makeUser(server));
      users.set(name, user);
      const { url: back } = await goThrough(new Browser(server.app), pathOf(url), user);
      return pathOf(back);
    };
  };
  return {
    issuer: server.issuer,
    clientId: client.clientId,
    clientSecret: client.secret ?? '',
    accounts,
    close: async () => {
      await server.app.close();
      await opened.close();
    },
  };
}
