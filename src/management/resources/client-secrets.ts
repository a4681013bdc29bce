/** The live secrets of a client: at most two, so that one is rotated without an outage. A secret is shown once, when it is made. */
import { z } from 'zod';
import { BASE64URL } from '../../crypto/base64url.ts';
import { makeClientSecret, storedSecretMac } from '../../crypto/client-secret.ts';
import { type ClientChange, secretIdOf } from '../../lifecycles/client/lifecycle.ts';
import type { RegisteredClient, SecretMac } from '../../model/client.ts';
import { administerClient } from '../../registration/administration.ts';
import { findClient } from '../../storage/clients.ts';
import { addressOf, links } from '../addresses.ts';
import { declaredInFiles, rejected } from '../administration.ts';
import type { ManagementDeps } from '../deps.ts';
import { GONE_SINCE } from '../idempotency.ts';
import { pageBody, pageOf, selfLink } from '../page.ts';
import { notFound } from '../problem.ts';
import { type Answer, created, done, found, type ManagementRequest, resource } from '../resource.ts';
import { MADE_SECRET } from './client-record.ts';
import { clientId } from './clients.ts';

const shape = z
  .object({
    secret_id: z.string(),
    created_at: z.string().nullable().describe('Null: the client was registered with it.'),
    _links: selfLink,
  })
  .meta({ id: 'ClientSecret' });
const createdShape = shape
  .extend({ client_secret: z.string().describe('Shown this once.') })
  .meta({ id: 'NewClientSecret' });

export const clientSecrets = resource(
  '/clients/{client_id}/secrets',
  'the live secrets of a client',
  { client_id: clientId },
  (method) => ({
    GET: method({
      summary: 'The active secrets of a client, oldest first: their names, never the secrets.',
      answer: pageOf(shape),
      run: async ({ db, macs, issuer }, { params: { client_id }, href }) => {
        const client = await findClient(db, macs, client_id);
        if (!client) return notFound('client');
        const items = client.secretMacs.map((mac) => secretDocument(issuer, client, mac));
        return found(pageBody({ items, next: null }, href));
      },
    }),
    POST: method({
      summary: 'Creates a secret. The previous secret stays active, unless `replaces` is true.',
      body: z.strictObject({
        replaces: z
          .boolean()
          .default(false)
          .describe('true: the previous secrets become invalid together with the creation.'),
      }),
      bodyIsOptional: true,
      answer: createdShape,
      creates: true,
      secret: true,
      makes: MADE_SECRET,
      rejects: ['client_is_declared', 'client_is_own', 'client_is_public', 'too_many_secrets', 'changed_meanwhile'],
      run: add,
    }),
  }),
);

export const clientSecret = resource(
  '/clients/{client_id}/secrets/{secret_id}',
  'a live secret of a client',
  { client_id: clientId, secret_id: z.string().max(64).regex(BASE64URL) },
  (method) => ({
    GET: method({
      summary: 'One active secret: its name, never the secret.',
      answer: shape,
      run: async ({ db, macs, issuer }, { params: { client_id, secret_id } }) => {
        const client = await findClient(db, macs, client_id);
        const mac = client?.secretMacs.find((live) => secretIdOf(live) === secret_id);
        return client && mac ? found(secretDocument(issuer, client, mac)) : notFound('secret of this client');
      },
    }),
    DELETE: method({
      summary: 'Deletes the secret, which becomes invalid immediately. The last secret cannot be deleted.',
      rejects: ['client_is_declared', 'client_is_own', 'last_secret'],
      run: async (deps, { params: { client_id, secret_id }, actor }) => {
        const { db, macs, clock } = deps;
        const declared = declaredInFiles(deps, client_id);
        if (declared) return declared;
        const change: ClientChange = { type: 'secretRemovalRequested', secretId: secret_id };
        const outcome = await administerClient({ db, macs, clock, actor }, client_id, { change });
        return outcome.kind === 'rejected' ? rejected(outcome.reason) : done;
      },
    }),
  }),
);

type Request = ManagementRequest<{ client_id: string }, unknown, { replaces: boolean }>;

async function add(deps: ManagementDeps, request: Request): Promise<Answer> {
  const { db, macs, clock, keys, issuer } = deps;
  const {
    params: { client_id },
    body,
    actor,
    makes,
  } = request;
  const declared = declaredInFiles(deps, client_id);
  if (declared) return declared;
  const secret = makeClientSecret(makes);
  const id = makes.bytes(6).toString('base64url');
  const answer = (client: RegisteredClient): Answer | null => {
    const mac = client.secretMacs.find((live) => live.id === id);
    if (!mac) return null;
    const shown = secretDocument(issuer, client, mac);
    return created({ ...shown, client_secret: secret }, secretAddress(issuer, client_id, mac), shown);
  };
  const madeBefore = async () => {
    const stored = await findClient(db, macs, client_id);
    return stored && answer(stored);
  };
  const before = makes.isRepeated ? await madeBefore() : null;
  if (before) return before;
  // A secret that was removed, perhaps because it leaked, does not come back with a request that is sent again.
  if (makes.wasCarriedOut) return GONE_SINCE;
  const named: SecretMac = { ...storedSecretMac(keys, secret), id, createdAt: new Date().toISOString() };
  const type = body.replaces ? 'secretReplacementRequested' : 'secretRequested';
  const change: ClientChange = { type, secret: named };
  const outcome = await administerClient({ db, macs, clock, actor }, client_id, {
    change,
    // The same request at the same time has made it.
    expects: ({ client }) => !client?.secretMacs.some((live) => live.id === id),
  });
  if (outcome.kind === 'rejected') {
    const meanwhile = outcome.reason === 'changed_meanwhile' ? await madeBefore() : null;
    return meanwhile ?? rejected(outcome.reason);
  }
  return answer(outcome.client) ?? rejected('changed_meanwhile');
}

const secretAddress = (issuer: string, clientId: string, mac: SecretMac): string =>
  addressOf(issuer, 'clients', clientId, 'secrets', secretIdOf(mac));

export const secretDocument = (
  issuer: string,
  { clientId }: Pick<RegisteredClient, 'clientId'>,
  mac: SecretMac,
): object => ({
  secret_id: secretIdOf(mac),
  created_at: mac.createdAt ?? null,
  ...links({ self: secretAddress(issuer, clientId, mac) }),
});
