/** The ledger: everything that was decided and stored, as a feed. Append-only; lines are dropped with their month. */

import { z } from 'zod';
import { endUserIn } from '../../model/actor.ts';
import { isStorable } from '../../oauth/sent-text.ts';
import { isUuid } from '../../oauth/sub.ts';
import type { Place } from '../../people/account/origins.ts';
import { clientNames } from '../../storage/clients.ts';
import type { ListedLine } from '../../storage/ledger-filter.ts';
import { listLedger } from '../../storage/ledger-list.ts';
import { type KnownUser, knownUsers } from '../../storage/users.ts';
import type { ManagementDeps } from '../deps.ts';
import { instant, shownInstant } from '../instant.ts';
import { exactInstant, listAnswer, pageOf, pageQuery } from '../page.ts';
import { resource } from '../resource.ts';
import { clientId } from './clients.ts';
import { sub } from './users.ts';

const name = z.string().regex(/^[A-Za-z_]{1,64}$/);

/** As src/crypto/account-hash.ts makes it. */
const accountHash = z.string().regex(/^[0-9a-f]{8}\.[A-Za-z0-9_-]{22}$/);

const digitsUpTo = (most: bigint) =>
  z
    .string()
    .regex(/^\d{1,20}$/)
    .refine((digits) => BigInt(digits) <= most);

/** More than a cluster has had, and as many as a cursor has room for. */
const MAX_NODES = 100;

/** As src/storage/ledger-list.ts names places. */
const position = z.union([
  z.strictObject({ recordedIn: digitsUpTo(2n ** 64n - 1n), position: digitsUpTo(2n ** 63n - 1n) }),
  z.strictObject({
    at: exactInstant,
    table: digitsUpTo(2n ** 32n - 1n),
    row: z.string().regex(/^\(\d{1,9},\d{1,4}\)$/),
  }),
  z.strictObject({
    nodes: z
      .array(
        z.strictObject({
          node: z
            .int()
            .min(1)
            .max(2 ** 31 - 1)
            .nullable(),
          recordedIn: digitsUpTo(2n ** 64n - 1n),
          position: digitsUpTo(2n ** 63n - 1n),
        }),
      )
      .max(MAX_NODES),
    older: z.strictObject({ at: exactInstant, hash: z.string().regex(/^[0-9a-f]{0,32}$/) }).nullable(),
  }),
]);

const shape = z
  .object({
    at: shownInstant.describe('Of the decision.'),
    machine: z.string(),
    event: z.string(),
    from: z.string(),
    to: z.string(),
    reason: z.string().nullable(),
    generation: z.int().nullable().describe("The refresh token at the chain's head afterwards."),
    grant_id: z.uuid().nullable(),
    interaction_id: z.uuid().nullable(),
    session_id: z.uuid().nullable(),
    signing_key_id: z.string().nullable(),
    client_id: z.string().nullable(),
    sub: z.string().nullable().describe('The end-user of an entry that is about no grant and no session.'),
    client_name: z
      .string()
      .nullable()
      .describe(
        'The current name of the client. Null: it has none, was deleted, or the caller lacks the scope `clients:read`.',
      ),
    username: z
      .string()
      .nullable()
      .describe('The current username of `sub`. Null: it was deleted, or the caller lacks the scope `users:read`.'),
    policy: z.string().nullable(),
    scope_withheld: z.string().nullable().describe('The granted scope above the ceiling at that time.'),
    actor: z
      .string()
      .nullable()
      .describe(
        'The actor, unless it was the browser or the client of the row itself: `operator SUB`, `end_user SUB`, `client ID`, `command_line`, …',
      ),
    actor_sub: z.string().nullable().describe('Of an actor who is an operator or an end-user.'),
    actor_username: z.string().nullable().describe('The current username of `actor_sub`. Null: as for `username`.'),
    address_hash: z.string().nullable().describe('A keyed hash of the address that it was asked from.'),
    fields: z.array(z.string()).nullable().describe('The names of the fields that changed.'),
    address: z
      .string()
      .nullable()
      .describe('Of a sign-in, and of a code or token that was used before: where it came from.'),
    place: z
      .object({ city: z.string().nullable(), country: z.string().nullable() })
      .nullable()
      .describe(
        'Of the address, in English. Null: the server has no file of places, or the file does not know the address.',
      ),
    account_hash: z.string().nullable().describe('Of a sign-in: a keyed hash of the username, also of an unknown one.'),
    begun_session_id: z.uuid().nullable().describe('The session that a sign-in began.'),
    user_agent: z
      .string()
      .nullable()
      .describe('Of a code or token that was used before: the User-Agent of the request, at most 256 characters.'),
  })
  .meta({ id: 'Transition' });

type Known = {
  /** Of addresses. */
  readonly places: ReadonlyMap<string, Place | null>;
  /** By id. */
  readonly users: ReadonlyMap<string, KnownUser>;
  readonly clients: ReadonlyMap<string, string>;
};

export function lineDocument(line: ListedLine, { users, clients, places }: Known) {
  const actorId = endUserIn(line.actor);
  return {
    at: line.at.toISOString(),
    machine: line.machine,
    event: line.event,
    from: line.fromState,
    to: line.toState,
    reason: line.reason,
    generation: line.generation === null ? null : Number(line.generation),
    grant_id: line.grantId,
    interaction_id: line.interactionId,
    session_id: line.sessionId,
    signing_key_id: line.signingKeyId,
    client_id: line.clientId,
    sub: line.userId === null ? null : (users.get(line.userId)?.sub ?? line.userId),
    client_name: line.clientId === null ? null : (clients.get(line.clientId) ?? null),
    username: line.userId === null ? null : (users.get(line.userId)?.username ?? null),
    policy: line.policy,
    scope_withheld: line.scopeWithheld,
    actor: line.actor,
    actor_sub: users.get(actorId ?? '')?.sub ?? actorId,
    actor_username: users.get(actorId ?? '')?.username ?? null,
    address_hash: line.addressHash,
    fields: line.fields,
    address: line.address,
    place: line.address === null ? null : (places.get(line.address) ?? null),
    account_hash: line.accountHash,
    begun_session_id: line.begunSessionId,
    user_agent: line.userAgent,
  };
}

/** Names are of the resources of end-users and clients, so a caller needs the scopes of those. */
async function knownIn(
  { db, placeOf }: Pick<ManagementDeps, 'db' | 'placeOf'>,
  lines: readonly ListedLine[],
  scopes: readonly string[],
): Promise<Known> {
  const addresses = [...new Set(lines.flatMap(({ address }) => address ?? []))];
  const [places, users, clients] = await Promise.all([
    Promise.all(addresses.map(async (address) => [address, await placeOf(address, ['en'])] as const)),
    knownUsers(
      db,
      lines
        .flatMap((line) => [line.userId, endUserIn(line.actor)])
        .filter((id): id is string => id !== null && isUuid(id)),
    ),
    scopes.includes('clients:read')
      ? clientNames(
          db,
          lines.flatMap(({ clientId }) => clientId ?? []),
        )
      : new Map<string, string>(),
  ]);
  const known = { places: new Map(places), users, clients };
  if (scopes.includes('users:read')) return known;
  return { ...known, users: new Map([...users].map(([id, { sub }]) => [id, { sub, username: null }])) };
}

export const transitions = resource('/transitions', 'the ledger', {}, (method) => ({
  GET: method({
    summary:
      'The ledger. In ascending order, `next` is always there: ask it again for lines to come. A page may have fewer lines than its limit, since a request reads a bounded number of them.',
    query: z.strictObject({
      ...pageQuery,
      order: z.enum(['asc', 'desc']).default('desc').describe('`desc`: the newest first.'),
      machine: name.optional(),
      event: name.optional(),
      from_state: name.optional(),
      to_state: name.optional(),
      reason: name.optional(),
      client_id: clientId.optional(),
      sub: sub.optional().describe('Of the end-user, and of their grants and sessions that are still stored.'),
      actor: z
        .string()
        .max(512)
        .refine(isStorable)
        .optional()
        .describe('Changes that this actor asked for, named as in `actor` of an entry.'),
      actor_sub: sub.optional().describe('Changes that this operator or end-user asked for.'),
      grant_id: z.uuid().optional(),
      session_id: z.uuid().optional(),
      account_hash: accountHash.optional().describe('Sign-ins with this account hash, also of an unknown username.'),
      address: z
        .string()
        .max(64)
        .refine(isStorable)
        .optional()
        .describe('Sign-ins, and codes and tokens that were used before, from this address.'),
      user_agent: z
        .string()
        .max(256)
        .refine(isStorable)
        .optional()
        .describe('Codes and tokens that were used before, presented by a User-Agent with this part, in any case.'),
      from: instant.optional().describe('Decided at this instant or later (RFC 3339).'),
      to: instant.optional().describe('Decided before this instant (RFC 3339).'),
    }),
    answer: pageOf(shape),
    run: (deps, { query: { limit, cursor, order, ...asked }, href, me }) => {
      const filter = {
        machine: asked.machine,
        event: asked.event,
        fromState: asked.from_state,
        toState: asked.to_state,
        reason: asked.reason,
        clientId: asked.client_id,
        userId: asked.sub,
        actor: asked.actor,
        actorUserId: asked.actor_sub,
        grantId: asked.grant_id,
        sessionId: asked.session_id,
        accountHash: asked.account_hash,
        address: asked.address,
        userAgentPart: asked.user_agent,
        from: asked.from,
        to: asked.to,
      };
      return listAnswer({ limit, cursor }, position, href, async (page) => {
        const { items, next } = await listLedger(deps.db, filter, { ...page, order });
        const known = await knownIn(deps, items, me.scopes);
        return { items: items.map((line) => lineDocument(line, known)), next };
      });
    },
  }),
}));
