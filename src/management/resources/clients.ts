/** Registered clients, as a list and each by itself. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { makeClientSecret, matchesStoredSecret } from '../../crypto/client-secret.ts';
import type { ClientRow } from '../../lifecycles/client/lifecycle.ts';
import { hasSecret, type RegisteredClient } from '../../model/client.ts';
import { administerClient } from '../../registration/administration.ts';
import { type ReadClient, readClientMetadata, toNames } from '../../registration/client-metadata.ts';
import type { Reading } from '../../registration/record-problem.ts';
import { applyClientPlan, type ClientPlan, planClient } from '../../registration/register-client.ts';
import { findCreationOfClient } from '../../storage/client-list.ts';
import { findClient } from '../../storage/clients.ts';
import { conditionNeeded, declaredInFiles, orRejected, rejected } from '../administration.ts';
import type { ManagementDeps } from '../deps.ts';
import { fieldsOf, withFields } from '../fields.ts';
import { GONE_SINCE } from '../idempotency.ts';
import { mergePatch } from '../merge-patch.ts';
import { fieldProblems, notFound, type Problem, problem, refusedField, refusedFields } from '../problem.ts';
import {
  type Answer,
  created,
  done,
  found,
  type ManagementRequest,
  methodOfCollection,
  resource,
} from '../resource.ts';
import { checked } from '../sent.ts';
import {
  clientAddress,
  clientBody,
  clientDocument,
  clientPatch,
  clientShape,
  createdClientShape,
  keptProblems,
  MADE_SECRET,
  recordIn,
  shownClient,
} from './client-record.ts';

export const clientId = z
  .string()
  .regex(/^[\x20-\x7e]{1,255}$/)
  .describe('RFC 6749 §2.2.');

const EXAMPLE = { client_name: 'Shop', redirect_uris: ['https://shop.example/callback'] };

type Request = ManagementRequest<{ client_id: string }, unknown, unknown>;

export const client = resource('/clients/{client_id}', 'a client', { client_id: clientId }, (method) => ({
  GET: method({
    summary: 'One client; its secrets are never shown.',
    query: z.strictObject({ fields: fieldsOf(clientShape) }),
    answer: clientShape,
    run: async (deps, { params: { client_id }, query: { fields } }) => {
      const stored = await findClient(deps.db, deps.macs, client_id);
      if (!stored) return notFound('client');
      const { body, record } = await shownOf(deps, stored);
      return found(withFields(body, fields), record);
    },
  }),
  PUT: method({
    summary: 'Registers the client with this id, or replaces its registration. Its grants stay active.',
    body: clientBody,
    example: { ...EXAMPLE, client_id: 'shop' },
    answer: createdClientShape,
    creates: 'ifNew',
    ifMatch: 'whenChanging',
    secret: true,
    makes: MADE_SECRET,
    rejects: ['client_is_declared', 'client_is_own'],
    run: replace,
  }),
  PATCH: method({
    summary: 'Changes some fields of the client (RFC 7396). Its grants stay active.',
    body: clientPatch,
    patches: clientBody,
    example: { client_name: 'The shop' },
    answer: createdClientShape,
    ifMatch: 'required',
    secret: true,
    makes: MADE_SECRET,
    rejects: ['client_is_declared', 'client_is_own'],
    run: patch,
  }),
  DELETE: method({
    summary: 'Deletes the client, and revokes its grants permanently.',
    ifMatch: 'optional',
    rejects: ['client_is_declared', 'client_is_own'],
    run: remove,
  }),
}));

/** `POST`, beside the list of src/management/resources/client-list.ts. */
export const registration = methodOfCollection({
  summary: 'Registers a client. A confidential client without a secret gets one, which is shown once.',
  body: clientBody,
  example: EXAMPLE,
  answer: createdClientShape,
  creates: true,
  secret: true,
  makes: MADE_SECRET,
  rejects: ['already_exists', 'client_is_declared', 'client_is_own', 'changed_meanwhile'],
  run: register,
});

async function register(deps: ManagementDeps, request: ManagementRequest<object, unknown, unknown>): Promise<Answer> {
  const read = readSent(deps, request.sent as Record<string, unknown>, { declared: false, registeredBy: 'operator' });
  if ('kind' in read) return read;
  const declared = read.value.clientId === null ? null : declaredInFiles(deps, read.value.clientId);
  if (declared) return declared;
  const { warnings } = read;
  const id = read.value.clientId ?? request.makes.bytes(16).toString('base64url');
  const asked = { ...read.value, clientId: id };
  if ((await findClient(deps.db, deps.macs, id)) !== null) return registeredBefore(deps, request, asked, warnings);
  // Registered again by a request that is sent again, a deleted client would have the secret of before.
  if (request.makes.wasCarriedOut) return GONE_SINCE;
  return orRejected(
    async () => {
      const plan = await planClient(depsFor(deps, request), asked);
      if (plan.outcome !== 'created') return registeredBefore(deps, request, asked, warnings);
      await applyClientPlan(depsFor(deps, request), plan, isNew);
      return createdClient(deps, await storedAs(deps, plan), plan.madeSecret, warnings);
    },
    () => registeredBefore(deps, request, asked, warnings),
  );
}

/** With an Idempotency-Key, a client that this very request has registered is answered as at the first time. */
async function registeredBefore(
  deps: ManagementDeps,
  { makes }: Pick<Request, 'makes'>,
  asked: ReadClient & { readonly clientId: string },
  warnings: readonly string[],
): Promise<Answer> {
  const stored = await findClient(deps.db, deps.macs, asked.clientId);
  if (!stored || !makes.isDerived) return exists(asked.clientId);
  const made = asked.secret === null ? makeClientSecret(makes) : null;
  const secret = asked.secret ?? made;
  const hasThisSecret = secret !== null && matchesStoredSecret(deps.keys, stored.secretMacs, secret);
  const asAsked = toNames({ ...asked, clientName: asked.clientName ?? asked.clientId });
  const isSame = isDeepStrictEqual(toNames(stored), asAsked) && (hasThisSecret || !hasSecret(stored));
  // Only this key makes this secret, also after later changes of the client.
  const isOurs = (made !== null && hasThisSecret) || isSame;
  return isOurs ? createdClient(deps, stored, hasThisSecret ? made : null, warnings) : exists(asked.clientId);
}

async function replace(deps: ManagementDeps, request: Request): Promise<Answer> {
  const { client_id } = request.params;
  const { isSeen, onlyNew } = request.precondition;
  const sent = request.sent as Record<string, unknown>;
  const stored = await findClient(deps.db, deps.macs, client_id);
  const declared = stored?.declared ? null : declaredInFiles(deps, client_id);
  if (declared) return declared;
  if (sent['client_id'] !== undefined && sent['client_id'] !== client_id) return otherId(client_id);
  const read = readSent(deps, sent, stored ?? { declared: false, registeredBy: 'operator' });
  if ('kind' in read) return read;
  // Only a request that is right meets its conditions (RFC 9110 §13.2.1): so one that cannot be met asks what is wrong with the rest.
  if (stored) return onlyNew ? rejected('changed_meanwhile') : change(deps, request, stored, read);
  return orRejected(async () => {
    const plan = await planClient(depsFor(deps, request), { ...read.value, clientId: client_id });
    if (isSeen !== null) return rejected('changed_meanwhile');
    await applyClientPlan(depsFor(deps, request), plan, isNew);
    return createdClient(deps, await storedAs(deps, plan), plan.madeSecret, read.warnings);
  });
}

async function patch(deps: ManagementDeps, request: Request): Promise<Answer> {
  const { client_id } = request.params;
  const stored = await findClient(deps.db, deps.macs, client_id);
  if (!stored) return notFound('client');
  const declared = stored.declared ? null : declaredInFiles(deps, client_id);
  if (declared) return declared;
  const merged = mergePatch(clientDocument(deps.issuer, stored), request.sent) as Record<string, unknown>;
  const problems = checked(clientBody, merged, 'invalid_fields');
  if (problems.kind === 'problem') return problems;
  if (merged['client_id'] !== client_id) return otherId(client_id);
  const read = readSent(deps, merged, stored);
  return 'kind' in read ? read : change(deps, request, stored, read);
}

async function change(
  deps: ManagementDeps,
  request: Request,
  stored: RegisteredClient,
  { value: read, warnings }: Read,
): Promise<Answer> {
  const { isSeen } = request.precondition;
  const shown = clientDocument(deps.issuer, stored);
  if (isSeen && !isSeen(shown)) return rejected('changed_meanwhile');
  return orRejected(async () => {
    const plan = await planClient(depsFor(deps, request), { ...read, clientId: stored.clientId });
    if (plan.outcome === 'unchanged') return answer(stored, null);
    if (!isSeen) return conditionNeeded(plan.changed);
    await applyClientPlan(
      depsFor(deps, request),
      plan,
      ({ client: now }) => now !== null && isSeen(clientDocument(deps.issuer, now)),
    );
    return answer(await storedAs(deps, plan), plan.madeSecret);
  });

  async function answer(client: RegisteredClient, secret: string | null): Promise<Answer> {
    const { body, record } = await shownOf(deps, client);
    return found({ ...body, ...secretField(secret), ...warningsField(warnings) }, record);
  }
}

async function remove(deps: ManagementDeps, request: Request): Promise<Answer> {
  const declared = declaredInFiles(deps, request.params.client_id);
  if (declared) return declared;
  const { isSeen } = request.precondition;
  const expects = ({ client: now }: ClientRow) => now !== null && (!isSeen || isSeen(clientDocument(deps.issuer, now)));
  const outcome = await administerClient(depsFor(deps, request), request.params.client_id, {
    change: { type: 'deletionRequested' },
    ...(isSeen && { expects }),
  });
  return outcome.kind === 'rejected' ? rejected(outcome.reason) : done;
}

const isNew = ({ client: now }: ClientRow): boolean => now === null || now.deletedAt !== null;

/** The client as it was planned, and stored; another change may have come since. */
const storedAs = async (
  { db, macs }: ManagementDeps,
  { registration: planned }: ClientPlan,
): Promise<RegisteredClient> =>
  (await findClient(db, macs, planned.clientId)) ?? { ...planned, epoch: 0n, deletedAt: null };

const depsFor = ({ db, macs, keys, clock }: ManagementDeps, { actor, makes }: Pick<Request, 'actor' | 'makes'>) => ({
  db,
  macs,
  keys,
  clock,
  actor,
  random: makes,
});

type Read = Extract<Reading<ReadClient>, { readonly ok: true }>;

function readSent(
  { configuration, production }: ManagementDeps,
  sent: Readonly<Record<string, unknown>>,
  client: Pick<RegisteredClient, 'declared' | 'registeredBy'>,
): Read | Problem {
  const keptBy = keptProblems(sent, client);
  if (keptBy.length > 0) return refusedFields(keptBy);
  const reading = readClientMetadata(recordIn(sent), configuration(), production);
  return reading.ok ? reading : fieldProblems('invalid_fields', reading.problems);
}

async function createdClient(
  deps: ManagementDeps,
  client: RegisteredClient,
  secret: string | null,
  warnings: readonly string[],
): Promise<Answer> {
  const { body, record } = await shownOf(deps, client);
  return created(
    { ...body, ...secretField(secret), ...warningsField(warnings) },
    clientAddress(deps.issuer, client.clientId),
    record,
  );
}

/** A row outlives its client, so that it is there. */
async function shownOf({ db, issuer }: ManagementDeps, client: RegisteredClient) {
  const record = clientDocument(issuer, client);
  return { record, body: shownClient(record, (await findCreationOfClient(db, client.clientId)) ?? new Date(0)) };
}

const warningsField = (warnings: readonly string[]) => (warnings.length === 0 ? {} : { warnings });

const secretField = (secret: string | null) => (secret === null ? {} : { client_secret: secret });

const exists = (id: string): Problem =>
  problem('already_exists', `A client with the id ${JSON.stringify(id)} exists. Nothing was changed.`);

const otherId = (id: string): Problem =>
  refusedField('client_id', `Expected ${JSON.stringify(id)}, as in the address.`);
