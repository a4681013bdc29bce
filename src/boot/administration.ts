/** The management API for commands where no server runs: on the database that the command has opened, as the command line. */
import { setTimeout as sleep } from 'node:timers/promises';
import { COMMAND_LINE_CLIENT } from '../config/command-line-client.ts';
import { MANAGEMENT_SCOPE_NAMES } from '../config/management-resource.ts';
import { inEnvironment } from '../config/named-secrets.ts';
import { SMTP_URL_NAME } from '../config/smtp.ts';
import { sealKeys } from '../crypto/ledger-seal.ts';
import { rowMacs } from '../crypto/row-mac.ts';
import type { Transport } from '../management/client/transport.ts';
import type { ManagementDeps } from '../management/deps.ts';
import { openInProcess } from '../management/in-process.ts';
import type { Me } from '../management/who.ts';
import { commandLine } from '../model/actor.ts';
import type { LinkMaking } from '../people/email/links.ts';
import { offered } from '../people/sign-up/sign-up.ts';
import { authenticClients } from '../storage/authentic-clients.ts';
import type { Drizzle } from '../storage/database.ts';
import { countWithoutPassword, emailChallengeStore, listWithoutPassword } from '../storage/email-challenges.ts';
import { grantStore } from '../storage/grant-store.ts';
import { sessionStore } from '../storage/sessions.ts';
import { databaseClock } from '../system/clock.ts';
import { breachedPasswords } from './breached-passwords.ts';
import { keyDeps, keysMadeHere } from './key-ring.ts';
import { placesIn } from './places.ts';
import type { Runtime } from './runtime.ts';
import { secretsOf } from './secrets.ts';
import { beginIdentifiers } from './sign-in-addresses.ts';

const ME: Me = { kind: 'client', id: COMMAND_LINE_CLIENT, username: null, scopes: MANAGEMENT_SCOPE_NAMES };

export async function openAdministration(runtime: Runtime): Promise<Transport> {
  await beginIdentifiers(runtime);
  return openInProcess(await depsOf(runtime), ME, commandLine);
}

const challengesOn =
  ({ keys }: Runtime) =>
  (db: Drizzle) =>
    emailChallengeStore(db, databaseClock, rowMacs(keys));

const linkPorts = (runtime: Runtime) => ({
  issuer: runtime.environment.issuer,
  random: runtime.random,
  sleep: (milliseconds: number) => sleep(milliseconds),
  challenges: challengesOn(runtime)(runtime.database.drizzle),
});

/** Null: the servers send no mails. As src/boot/mail/way.ts: a server of the embedded database shows its mails itself. */
const linksOf = async (runtime: Runtime): Promise<LinkMaking | null> =>
  runtime.environment.databaseUrl === null || (await (await secretsOf(runtime)).named(SMTP_URL_NAME)) !== null
    ? { ...linkPorts(runtime), isOffered: offered(() => runtime.configuration.signIn) }
    : null;

/** For a command that mails links to many end-users. Null: the servers send no mails. */
export async function passwordLinksOf(runtime: Runtime) {
  const links = await linksOf(runtime);
  const db = runtime.database.drizzle;
  return (
    links && {
      links,
      count: () => countWithoutPassword(db, databaseClock),
      list: (page: Parameters<typeof listWithoutPassword>[2]) => listWithoutPassword(db, databaseClock, page),
    }
  );
}

async function depsOf(runtime: Runtime): Promise<ManagementDeps> {
  const { environment, configuration, database, keys, keySource } = runtime;
  const db = database.drizzle;
  const clock = databaseClock;
  const macs = rowMacs(keys);
  const shared = linkPorts(runtime);
  return {
    ...shared,
    challengesOn: challengesOn(runtime),
    production: environment.production,
    passwordPepper: environment.passwordPepper,
    isBreached: breachedPasswords(() => configuration.signIn, { warn: () => {} }),
    configuration: () => configuration,
    configFolder: environment.configFolder,
    keys,
    macs,
    seals: () => sealKeys(keys),
    placeOf: placesIn(environment.placesFile, { warn: () => {} }),
    db,
    clock,
    store: grantStore(db, clock, authenticClients(macs)),
    sessions: sessionStore(db, clock, macs),
    signingKeys: keyDeps({ db, keys, source: keySource, clock, policy: () => configuration.signingKeys }),
    createKeyHere: keysMadeHere(keys),
    links: await linksOf(runtime),
    mails: null,
    // Servers send what a command stores.
    sendsMail: () => true,
    inEnvironment: (name) => inEnvironment(runtime.variables, name),
    mailFrom: environment.mailFrom,
    // Servers follow the rows within seconds.
    secretChanged: async () => {},
    mailPreviews: async () => (await import('./mail/sample-mails.ts')).mailPreviews(environment.issuer, configuration),
    // A command fetches none.
    standingOfKeys: () => null,
    lastReload: () => null,
    // Servers follow the table within seconds.
    keepKeys: async () => {},
  };
}
