/**
 * Demo data, only on the embedded database with a loopback HOST: an end-user, who is an operator (demo-operator.ts), an app that signs end-users in, and a service.
 * Password and secret are random per installation and kept in `.statehouse/` (mode 0600). The terminal prints them at the start; the
 * page at the issuer shows the password (src/http/home-route.ts).
 */

import { storedSecretMac } from '../crypto/client-secret.ts';
import { hashPassword } from '../crypto/password.ts';
import { rowMacs } from '../crypto/row-mac.ts';
import { rawSecret } from '../crypto/secret-types.ts';
import { theServer } from '../model/actor.ts';
import type { ClientRegistration } from '../model/client.ts';
import {
  type AdministrationDeps,
  administerClient,
  administerUser,
  requireDone,
} from '../registration/administration.ts';
import { DEFAULT_METADATA } from '../registration/client-metadata.ts';
import { findClient } from '../storage/clients.ts';
import { findUserForSignIn } from '../storage/users.ts';
import { homeFolder, readOrMake } from '../system/home-folder.ts';
import { DEMO_USERNAME } from './demo-operator.ts';
import type { Runtime } from './runtime.ts';

export type Demo = {
  readonly username: string;
  readonly password: string;
  readonly service: { readonly clientId: string; readonly clientSecret: string };
  readonly app: { readonly clientId: string; readonly redirectUri: string };
};

/** For a HOST that others can reach: an earlier start on loopback may have left demo users and clients. */
export async function endDemo({ database, keys }: Runtime): Promise<void> {
  const deps = { db: database.drizzle, macs: rowMacs(keys), actor: theServer };
  const user = await findUserForSignIn(deps.db, DEMO_USERNAME);
  if (user) await administerUser(deps, { id: user.id, change: { type: 'disableRequested' } });
  // A client that is not registered has no grants to revoke.
  for (const clientId of [SERVICE, APP]) {
    await administerClient(deps, clientId, { change: { type: 'deletionRequested' } });
  }
}

const SERVICE = 'demo-service';
const APP = 'demo-app';

export async function makeDemo({ environment, keys, random, database }: Runtime): Promise<Demo> {
  const make = () => random.bytes(12).toString('base64url');
  const [password = '', secret = ''] = readOrMake(homeFolder(), 'demo', () => `${make()} ${make()}${make()}`).split(
    ' ',
  );
  const shown: Demo = {
    username: DEMO_USERNAME,
    password,
    service: { clientId: SERVICE, clientSecret: secret },
    app: { clientId: APP, redirectUri: `${environment.issuer.replace(/\/$/, '')}/playground/callback` },
  };
  const db = database.drizzle;
  const deps = { db, macs: rowMacs(keys), actor: theServer };
  const user = await findUserForSignIn(db, shown.username);
  if (user?.disabledAt) await administerUser(deps, { id: user.id, change: { type: 'enableRequested' } });
  if (!user) {
    const registration = {
      username: shown.username,
      passwordHash: await hashPassword(rawSecret(password)),
      claims: { name: 'Demo Person', email: 'demo@example.com', email_verified: true },
    };
    await administerUser(deps, { id: random.uuid(), change: { type: 'registrationRequested', registration } });
  }
  if (!(await findClient(db, deps.macs, shown.service.clientId))) {
    await register(deps, {
      ...DEFAULT_METADATA,
      clientId: shown.service.clientId,
      clientName: 'Demo service',
      tokenEndpointAuthMethod: 'client_secret_basic',
      secretMacs: [storedSecretMac(keys, rawSecret(secret))],
      grantTypes: ['client_credentials'],
    });
  }
  // Saved at each start: the redirect URI follows PORT and STATEHOUSE_ISSUER.
  await register(deps, {
    ...DEFAULT_METADATA,
    clientId: shown.app.clientId,
    clientName: 'Demo app',
    tokenEndpointAuthMethod: 'none',
    secretMacs: [],
    redirectUris: [shown.app.redirectUri],
    grantTypes: ['authorization_code', 'refresh_token'],
  });
  return shown;
}

async function register(deps: AdministrationDeps, client: ClientRegistration): Promise<void> {
  const registration = { ...client, declared: false, registeredBy: 'operator' } as const;
  requireDone(
    await administerClient(deps, client.clientId, { change: { type: 'registrationRequested', registration } }),
  );
}
