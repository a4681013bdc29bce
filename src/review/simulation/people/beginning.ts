/** Where every scenario begins: an end-user with a password, who has signed in nowhere. */
import type { RegisteredUser } from '../../../model/user.ts';
import { BEGINNINGS, USER } from '../../proof/sign-ins/beginnings.ts';
import type { Actor } from '../scenario.ts';
import { type BrowserState, bytesOf, hashOfPassword, type World } from './world.ts';

const FIRST_PASSWORD = 1;

const OWNER: RegisteredUser = {
  id: USER,
  username: 'ada',
  passwordHash: hashOfPassword(FIRST_PASSWORD),
  importedHash: null,
  passwordByLinkAt: null,
  claims: { email: 'ada@example.com', email_verified: true },
  epoch: 0n,
  disabledAt: null,
  deletedAt: null,
};

export function newWorld(given: Pick<World, 'lifetimes' | 'signIn' | 'machineOf' | 'now'>): World {
  const [beginning] = BEGINNINGS;
  if (!beginning) throw new Error('The proof has no beginning.');
  const browsers = new Map<string, BrowserState>();
  let serial = 0;
  const draw = () => ++serial;
  const browserOf = ({ name, place }: Actor): BrowserState => {
    const key = `${name} ${place}`;
    const browser = browsers.get(key) ?? { hash: bytesOf(draw()), cookie: null, interaction: null };
    browsers.set(key, browser);
    return browser;
  };
  return {
    ...given,
    draw,
    browserOf,
    passwordSerial: FIRST_PASSWORD,
    rows: {
      user: OWNER,
      userVersion: 1,
      serverEpoch: 0n,
      client: beginning.stored.client,
      sessions: [],
      consents: [],
      grants: [],
      apps: [],
      recoveryCodes: [],
      passkeys: [],
      externalSignIns: [],
      identities: [],
      mails: [],
    },
  };
}
