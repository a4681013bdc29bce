/** Statehouse as it is shipped: `statehouse start` in production, logging at its default level. */
import { randomUUID } from 'node:crypto';
import { authorizationCodeOf } from '../../../src/crypto/authorization-code.ts';
import { storedSecretMac } from '../../../src/crypto/client-secret.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import { rawSecret, storedPasswordHash } from '../../../src/crypto/secret-types.ts';
import { DEFAULT_METADATA } from '../../../src/registration/client-metadata.ts';
import { saveClient } from '../../../src/storage/clients.ts';
import type { Drizzle } from '../../../src/storage/database.ts';
import { openPostgres } from '../../../src/storage/postgres.ts';
import { grants } from '../../../src/storage/schema.ts';
import { insertUser } from '../../../src/storage/users.ts';
import { freePort } from '../../support/listening.ts';
import { startChild } from '../children.ts';
import {
  CHALLENGE,
  CLIENT_ID,
  CLIENT_SECRET,
  CODE_SECONDS,
  GRANT_TYPES,
  REDIRECT_URI,
  RESOURCE,
  SCOPE,
  SERVER_SECRET,
  SUBJECT_ID,
} from '../setting.ts';
import type { Target } from './target.ts';

const keys = rootKeys([SERVER_SECRET]);

export async function startStatehouse(databaseUrl: string): Promise<Target> {
  const port = await freePort();
  const issuer = `http://localhost:${port}`;
  const child = startChild(['src/cli/statehouse.js', 'start'], {
    DATABASE_URL: databaseUrl,
    STATEHOUSE_ISSUER: issuer,
    STATEHOUSE_SECRET: SERVER_SECRET,
    HOST: '127.0.0.1',
    PORT: String(port),
  });
  // A connection of this process would be counted with those of the server, so there is one only while it seeds.
  const seeding = async <T>(work: (db: Drizzle) => Promise<T>): Promise<T> => {
    const database = openPostgres(databaseUrl, { connections: 2 });
    return work(database.drizzle).finally(database.close);
  };
  const target: Target = {
    name: 'statehouse',
    database: new URL(databaseUrl).pathname.slice(1),
    tokenUrl: `http://127.0.0.1:${port}/oauth/token`,
    jwksUrl: `http://127.0.0.1:${port}/.well-known/jwks.json`,
    child,
    seedCodes: (count) => seeding((db) => insertGrants(db, count)),
    stop: child.stop,
  };
  await child.ready(`http://127.0.0.1:${port}/health/ready`);
  await seeding(registerClientAndPerson);
  return target;
}

export async function registerClientAndPerson(db: Drizzle): Promise<void> {
  await saveClient(db, {
    ...DEFAULT_METADATA,
    clientId: CLIENT_ID,
    clientName: 'Bench',
    tokenEndpointAuthMethod: 'client_secret_basic',
    secretMacs: [storedSecretMac(keys, rawSecret(CLIENT_SECRET))],
    redirectUris: [REDIRECT_URI],
    grantTypes: GRANT_TYPES,
  });
  await insertUser(db, { id: SUBJECT_ID, username: 'bench', passwordHash: storedPasswordHash('none'), claims: {} });
}

const ROWS_A_STATEMENT = 500;

/** As the approval of an interaction leaves them. @returns their codes. */
export async function insertGrants(db: Drizzle, count: number): Promise<string[]> {
  const codes: string[] = [];
  while (codes.length < count) {
    const made = Array.from({ length: Math.min(ROWS_A_STATEMENT, count - codes.length) }, newGrant);
    await db.insert(grants).values(made.map(({ row }) => row));
    codes.push(...made.map(({ code }) => code));
  }
  return codes;
}

function newGrant() {
  const id = randomUUID();
  const { code, secretHash } = authorizationCodeOf(keys, id);
  const createdAt = new Date();
  const row = {
    id,
    interactionId: randomUUID(),
    clientId: CLIENT_ID,
    userId: SUBJECT_ID,
    clientEpoch: 0n,
    userEpoch: 0n,
    serverEpoch: 0n,
    scope: SCOPE,
    resources: [RESOURCE],
    policy: 'default',
    codeHash: secretHash,
    codeChallenge: CHALLENGE,
    redirectUri: REDIRECT_URI,
    codeEndsAt: new Date(createdAt.getTime() + CODE_SECONDS * 1000),
    state: 'active' as const,
    createdAt,
  };
  return { row, code };
}
