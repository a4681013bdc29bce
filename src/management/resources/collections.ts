/** Clients and end-users as lists, with their registration, and what ends with each of them. */
import { z } from 'zod';
import { reviewClient } from '../../registration/client-review.ts';
import { listClientPage } from '../../storage/client-list.ts';
import { findClient } from '../../storage/clients.ts';
import { consequencesForClient, consequencesForUser } from '../../storage/consequences.ts';
import type { Drizzle } from '../../storage/database.ts';
import type { Page } from '../../storage/page.ts';
import { listUserPage } from '../../storage/user-list.ts';
import { findUserForSignIn, usernameKey } from '../../storage/users.ts';
import { lifetimesOf } from '../lifetimes.ts';
import { isStorable, keyPosition, listAnswer, pageQuery, searchedPageOf, WORDS_OF_A_SEARCH } from '../page.ts';
import { notFound } from '../problem.ts';
import { found, type ManagementResource, methodsOf } from '../resource.ts';
import { clientDocument, clientShape } from './client-record.ts';
import { clientId, registration } from './clients.ts';
import { userDocument, userShape } from './user-record.ts';
import { findUser, sub, userRegistration } from './users.ts';

const none = z.object({});
const method = methodsOf(none);
const isTrue = z.enum(['true', 'false']).transform((text) => text === 'true');
const part = z.string().min(1).max(200).refine(isStorable);

export const clientCollection = {
  path: '/clients',
  name: 'the clients',
  params: none,
  methods: {
    GET: method({
      summary: 'The clients, by client_id.',
      query: z.strictObject({
        ...pageQuery,
        q: part.optional().describe(`The id and the name together have ${WORDS_OF_A_SEARCH}`),
        declared: isTrue.optional().describe('Whether configuration declares them.'),
      }),
      answer: searchedPageOf(clientShape),
      run: ({ db, macs, issuer }, { query: { q, declared, ...page }, href }) =>
        listAnswer(page, keyPosition, href, async (request) => {
          const found = await listClientPage(db, macs, { q, declared }, request);
          return { ...found, items: found.items.map((client) => clientDocument(issuer, client)) };
        }),
    }),
    POST: registration,
  },
} as const satisfies ManagementResource;

/** An exact username is looked up, without a search page by page. */
async function named(
  db: Drizzle,
  issuer: string,
  { username, q, disabled }: { username: string; q: string | undefined; disabled: boolean | undefined },
): Promise<Page<object, string>> {
  const user = await findUserForSignIn(db, username);
  const fits =
    user !== null &&
    (q === undefined || usernameKey(user.username).includes(usernameKey(q))) &&
    (disabled === undefined || disabled === (user.disabledAt !== null));
  return { items: fits ? [userDocument(issuer, user)] : [], next: null };
}

const ofClient = z.object({ client_id: clientId });

export const clientConsequences = {
  path: '/clients/{client_id}/consequences',
  name: 'consequences for a client',
  params: ofClient,
  methods: {
    GET: methodsOf(ofClient)({
      summary:
        'The grants that a deletion of this client would end, and the scopes that its current `scope` withholds.',
      answer: z.object({
        living_grants: z.int(),
        end_users: z.int().describe('Of those grants.'),
        above_ceiling: z
          .int()
          .describe(
            'The number of those grants with more than the current `scope` of the client. Their next refresh leaves the excess out.',
          ),
        exact: z.boolean().describe('False: there are more, and the numbers are about the newest.'),
        warnings: z
          .array(z.string())
          .describe('Probable mistakes in its registration, under the current configuration.'),
      }),
      run: async ({ db, macs, clock, configuration }, { params: { client_id } }) => {
        const client = await findClient(db, macs, client_id);
        if (client === null) return notFound('client');
        const { warnings } = reviewClient(client, configuration());
        const { livingGrants, users, aboveCeiling, exact } = await consequencesForClient(
          db,
          clock,
          lifetimesOf(configuration()),
          client_id,
        );
        return found({ living_grants: livingGrants, end_users: users, above_ceiling: aboveCeiling, exact, warnings });
      },
    }),
  },
} as const satisfies ManagementResource;

export const userCollection = {
  path: '/users',
  name: 'the end-users',
  params: none,
  methods: {
    GET: method({
      summary: 'The end-users, by username.',
      query: z.strictObject({
        ...pageQuery,
        q: part
          .optional()
          .describe(
            `The username, the names and the e-mail address have ${WORDS_OF_A_SEARCH} Or it is exactly the \`sub\`.`,
          ),
        disabled: isTrue.optional(),
        username: z
          .string()
          .min(1)
          .max(256)
          .refine(isStorable)
          .optional()
          .describe('Exactly this username, as a sign-in compares it. The list has one end-user, or none.'),
      }),
      answer: searchedPageOf(userShape),
      run: ({ db, issuer }, { query: { q, disabled, username, ...page }, href }) =>
        listAnswer(page, keyPosition, href, async (request) => {
          if (username !== undefined) return named(db, issuer, { q, disabled, username });
          const found = await listUserPage(db, { q, disabled }, request);
          return { ...found, items: found.items.map((user) => userDocument(issuer, user)) };
        }),
    }),
    POST: userRegistration,
  },
} as const satisfies ManagementResource;

const ofUser = z.object({ sub });

export const userConsequences = {
  path: '/users/{sub}/consequences',
  name: 'consequences for an end-user',
  params: ofUser,
  methods: {
    GET: methodsOf(ofUser)({
      summary: 'The sessions and grants that disabling, deletion or a new password would end.',
      answer: z.object({
        living_grants: z.int(),
        clients: z.int().describe('Of those grants.'),
        active_sessions: z.int(),
        exact: z.boolean().describe('False: there are more, and the numbers are about the newest.'),
      }),
      run: async (deps, { params: { sub: id } }) => {
        if ((await findUser(deps, id)) === null) return notFound('end-user');
        const { db, clock, configuration } = deps;
        const { signIn } = configuration();
        const { livingGrants, clients, activeSessions, exact } = await consequencesForUser(
          db,
          clock,
          { lifetimesOf: lifetimesOf(configuration()), signIn },
          id,
        );
        return found({ living_grants: livingGrants, clients, active_sessions: activeSessions, exact });
      },
    }),
  },
} as const satisfies ManagementResource;
