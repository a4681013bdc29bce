/** Clients and end-users as lists, with their registration, and what ends with each of them. */
import { z } from 'zod';
import { expecting } from '../../../policies/expectations.ts';
import { isStorable } from '../../oauth/sent-text.ts';
import { MAX_USERNAME_CHARACTERS, usernameKey } from '../../oauth/username.ts';
import { reviewClient } from '../../registration/client-review.ts';
import { type ClientSort, listClientPage, REGISTERED_THROUGH } from '../../storage/client-list.ts';
import { findClient } from '../../storage/clients.ts';
import { consequencesForClient, consequencesForUser } from '../../storage/consequences.ts';
import type { Drizzle } from '../../storage/database.ts';
import type { Place } from '../../storage/keyed-page.ts';
import type { Page, PageRequest } from '../../storage/page.ts';
import { MAX_WORDS, wordsOf } from '../../storage/search.ts';
import {
  findListedUser,
  type ListedUser,
  listUserPage,
  USER_FACTORS,
  type UserFilter,
  type UserSort,
} from '../../storage/user-list.ts';
import { fieldsOf, withFields } from '../fields.ts';
import { instant } from '../instant.ts';
import { lifetimesOf } from '../lifetimes.ts';
import {
  countedPageOf,
  exactInstant,
  keyOfPlace,
  keyPosition,
  listAnswer,
  pageQuery,
  placeOf,
  placeOfKey,
  WORDS_OF_A_SEARCH,
} from '../page.ts';
import { tagOf } from '../precondition.ts';
import { notFound } from '../problem.ts';
import { found, resource } from '../resource.ts';
import { clientDocument, listedClientShape, shownClient } from './client-record.ts';
import { clientId, registration } from './clients.ts';
import { listedUserShape, shownUser, userDocument, userFacts } from './user-record.ts';
import { findUser, sub, userRegistration } from './users.ts';

const isTrue = z.enum(['true', 'false']).transform((text) => text === 'true');
const part = expecting(
  z
    .string()
    .min(1)
    .max(200)
    .refine((text) => isStorable(text) && wordsOf(text).length <= MAX_WORDS),
  `1 to 200 characters in at most ${MAX_WORDS} different words`,
);
const order = z.enum(['asc', 'desc']).default('asc').describe('`desc`: the last of the order first.');

const CLIENT_PLACES = {
  client_id: placeOfKey,
  client_name: placeOf(keyPosition, keyPosition),
  created_at: placeOf(exactInstant, keyPosition),
} as const satisfies Readonly<Record<ClientSort, z.ZodType<Place>>>;

export const clientCollection = resource('/clients', 'the clients', {}, (method) => ({
  GET: method({
    summary: 'The clients, by client_id.',
    query: z.strictObject({
      ...pageQuery,
      q: part.optional().describe(`The id and the name together have ${WORDS_OF_A_SEARCH}`),
      declared: isTrue.optional().describe('Whether configuration declares them.'),
      registered_through: z
        .enum(REGISTERED_THROUGH)
        .optional()
        .describe(
          'How the server learned of them: from `configuration`, an `operator`, a `document`, or their own `registration`.',
        ),
      sort: z.enum(['client_id', 'client_name', 'created_at']).default('client_id'),
      order,
      fields: fieldsOf(listedClientShape),
    }),
    answer: countedPageOf(listedClientShape),
    run: ({ db, macs, issuer }, { query, href }) => {
      const { q, declared, registered_through: registeredThrough, sort, order: direction, fields, ...page } = query;
      return listAnswer(page, CLIENT_PLACES[sort], href, async (request) => {
        const descending = direction === 'desc';
        const found = await listClientPage(db, macs, { q, declared, registeredThrough }, request, {
          sort,
          descending,
        });
        const items = found.items.map((client) => {
          const record = clientDocument(issuer, client);
          return withFields({ ...shownClient(record, client.createdAt), etag: tagOf(record) }, fields);
        });
        return { ...found, items, next: sort === 'client_id' ? keyOfPlace(found.next) : found.next };
      });
    },
  }),
  POST: registration,
}));

export const clientConsequences = resource(
  '/clients/{client_id}/consequences',
  'consequences for a client',
  { client_id: clientId },
  (method) => ({
    GET: method({
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
  }),
);

/** As an administrator writes it: a number or a truth value is a text, too. */
const claimValues = (text: string): readonly unknown[] =>
  /^(true|false|-?(0|[1-9]\d{0,15})(\.\d{1,15})?)$/.test(text) ? [text, JSON.parse(text)] : [text];

const claim = expecting(
  z
    .string()
    .max(512)
    .regex(/^[^=]+=[\s\S]/)
    .refine(isStorable),
  'NAME=VALUE, such as "department=Sales"',
).transform((text) => {
  const [name = ''] = text.split('=', 1);
  return { name, values: claimValues(text.slice(name.length + 1)) };
});

const USER_PLACES = {
  username: placeOfKey,
  created_at: placeOf(exactInstant, z.uuid()),
  last_sign_in_at: z.union([z.tuple([keyPosition]), placeOf(exactInstant, z.uuid())]),
} as const satisfies Readonly<Record<UserSort, z.ZodType<Place>>>;

const userQuery = z.strictObject({
  ...pageQuery,
  q: part
    .optional()
    .describe(`The username, the names and the e-mail address have ${WORDS_OF_A_SEARCH} Or it is exactly the \`sub\`.`),
  disabled: isTrue.optional(),
  has_password: isTrue.optional(),
  email_verified: isTrue
    .optional()
    .describe('Whether the e-mail address is verified. `false`: also end-users without an address.'),
  claim: claim
    .optional()
    .describe(
      'A claim and its value, as in `claim=department=Sales`. The value is the whole claim, or one of its list, in the same case.',
    ),
  signed_in_since: instant.optional().describe('The last sign-in is not before this instant.'),
  not_signed_in_since: instant.optional().describe('The last sign-in is before this instant, or none is known.'),
  factor: z
    .enum([...USER_FACTORS, 'none'])
    .optional()
    .describe('An active factor of this kind. `none`: neither a passkey nor an authenticator app.'),
  username: z
    .string()
    .min(1)
    .max(MAX_USERNAME_CHARACTERS)
    .refine(isStorable)
    .optional()
    .describe('Exactly this username, as a sign-in compares it. The list has one end-user, or none.'),
  sort: z
    .enum(['username', 'created_at', 'last_sign_in_at'])
    .default('username')
    .describe('`last_sign_in_at`: in either order, those without a known sign-in come last, by username.'),
  order,
  fields: fieldsOf(listedUserShape),
});

export const userCollection = resource('/users', 'the end-users', {}, (method) => ({
  GET: method({
    summary: 'The end-users, by username.',
    query: userQuery,
    answer: countedPageOf(listedUserShape),
    run: ({ db, issuer }, { query, href }) => {
      const { limit, cursor, sort, fields } = query;
      return listAnswer({ limit, cursor }, USER_PLACES[sort], href, async (request) => {
        const found = await usersOf(db, query, request);
        const items = found.items.map((user) => {
          const [record, facts] = [userDocument(issuer, user), userFacts(user)];
          return withFields({ ...shownUser(record, facts), etag: tagOf(record, facts) }, fields);
        });
        return { ...found, items, next: sort === 'username' ? keyOfPlace(found.next) : found.next };
      });
    },
  }),
  POST: userRegistration,
}));

type UserQuery = z.output<typeof userQuery>;

/** An exact username is looked up, without a search page by page. */
async function usersOf(db: Drizzle, query: UserQuery, page: PageRequest<Place>): Promise<Page<ListedUser, Place>> {
  const { username, sort, order: direction } = query;
  const filter: UserFilter = {
    q: query.q,
    disabled: query.disabled,
    hasPassword: query.has_password,
    emailVerified: query.email_verified,
    claim: query.claim,
    signedInSince: query.signed_in_since,
    notSignedInSince: query.not_signed_in_since,
    factor: query.factor,
  };
  if (username === undefined) return listUserPage(db, filter, page, { sort, descending: direction === 'desc' });
  const user = await findListedUser(db, usernameKey(username), filter);
  return { items: user === null ? [] : [user], next: null };
}

export const userConsequences = resource(
  '/users/{sub}/consequences',
  'consequences for an end-user',
  { sub },
  (method) => ({
    GET: method({
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
  }),
);
