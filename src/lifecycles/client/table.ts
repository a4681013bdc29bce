import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import { type AnyPgColumn, boolean, index, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import type { Client, TokenClient } from '../../model/client.ts';
import { authenticated, bytes, epoch, instant, texts } from '../columns.ts';
import { inOrder } from '../in-order.ts';
import { anHourBefore, earlier } from '../retention.ts';
import { byKey } from '../root-keys.ts';
import {
  beginsDerived,
  type Derived,
  epochRises,
  isNotEmptied,
  keeps,
  movesDerived,
  refuses,
  staysUntil,
} from '../rules.ts';
import { searchText, trigrams } from '../search-text.ts';
import { described, type Facts, PASSING } from '../table.ts';

/** The text of a client for searches. */
export const clientSearchText = ({
  clientId,
  clientName,
}: {
  readonly clientId: AnyPgColumn;
  readonly clientName: AnyPgColumn;
}) => searchText([clientId, clientName]);

/** The origins of the http(s) redirect URIs. A migration defines the function. */
export const webOrigins = ({ redirectUris }: { readonly redirectUris: AnyPgColumn }): SQL =>
  sql`web_origins(${redirectUris})`;

/** Of clients that introduced themselves: a document describes the client (src/oauth/client-id-url.ts), and otherwise a registration. */
export const hasDocumentUrl = ({ clientId }: { readonly clientId: AnyPgColumn }): SQL =>
  sql`${clientId} like 'https://%'`;

/** Clients whose scripts run in browsers. The text has no parameter, so that each prepared statement finds the index. */
export const isPublicWebClient = ({
  deletedAt,
  tokenEndpointAuthMethod,
  applicationType,
}: Readonly<Record<'deletedAt' | 'tokenEndpointAuthMethod' | 'applicationType', AnyPgColumn>>): SQL =>
  sql`${deletedAt} is null and ${tokenEndpointAuthMethod} = 'none' and ${applicationType} = 'web'`;

/**
 * Registered clients, with RFC 7591 names. A deleted client keeps its row, so that its id never revives a grant.
 * A field of a client without a column, a column without a field, and a difference of type (clients.ts) do not compile.
 */
export const clients = pgTable(
  'clients',
  {
    clientId: text('client_id').primaryKey(),
    clientName: text('client_name').notNull(),
    consent: text('consent').$type<Client['consent']>().notNull().default('ask'),
    applicationType: text('application_type').$type<Client['applicationType']>().notNull(),
    tokenEndpointAuthMethod: text('token_endpoint_auth_method').$type<Client['tokenEndpointAuthMethod']>().notNull(),
    secretMacs: jsonb('secret_macs').$type<Client['secretMacs']>().notNull(),
    /** RFC 7591 §2: public keys, and where they are published. */
    jwks: jsonb('jwks').$type<Client['jwks']>(),
    jwksUri: text('jwks_uri'),
    tokenEndpointAuthSigningAlg: text('token_endpoint_auth_signing_alg').$type<Client['tokenEndpointAuthSigningAlg']>(),
    /** RFC 8705 §2.1.2. */
    tlsClientAuthSubjectDn: text('tls_client_auth_subject_dn'),
    tlsClientAuthSanDns: text('tls_client_auth_san_dns'),
    tlsClientAuthSanUri: text('tls_client_auth_san_uri'),
    tlsClientAuthSanIp: text('tls_client_auth_san_ip'),
    tlsClientAuthSanEmail: text('tls_client_auth_san_email'),
    /** docs/decisions/0115: the iss and sub of the tokens of its workload. */
    workloadIssuer: text('workload_issuer'),
    workloadSubject: text('workload_subject'),
    redirectUris: texts('redirect_uris').notNull(),
    grantTypes: texts('grant_types').notNull(),
    /** The ceiling; null: every scope of the configured resources. */
    scope: texts('scope'),
    defaultScope: texts('default_scope'),
    defaultResource: text('default_resource'),
    policy: text('policy').notNull(),
    /** OpenID Connect RP-Initiated Logout §3: compared as exact strings. */
    postLogoutRedirectUris: texts('post_logout_redirect_uris').notNull().default([]),
    /** OpenID Connect Registration §2. */
    idTokenSignedResponseAlg: text('id_token_signed_response_alg')
      .$type<Client['idTokenSignedResponseAlg']>()
      .notNull()
      .default('RS256'),
    /** RFC 9449 §5.2. */
    dpopBoundAccessTokens: boolean('dpop_bound_access_tokens').notNull().default(false),
    /** RFC 9126 §6. */
    requirePushedAuthorizationRequests: boolean('require_pushed_authorization_requests').notNull().default(false),
    /** RFC 9101 §10.5. */
    requireSignedRequestObject: boolean('require_signed_request_object').notNull().default(false),
    /** OpenID Connect Registration §2. */
    requestObjectSigningAlg: text('request_object_signing_alg').$type<Client['requestObjectSigningAlg']>(),
    /** JARM §3. */
    authorizationSignedResponseAlg: text('authorization_signed_response_alg').$type<
      Client['authorizationSignedResponseAlg']
    >(),
    /** RFC 8705 §3.4. */
    tlsClientCertificateBoundAccessTokens: boolean('tls_client_certificate_bound_access_tokens')
      .notNull()
      .default(false),
    /** RFC 7591 §2. */
    logoUri: text('logo_uri'),
    clientUri: text('client_uri'),
    /** OpenID Connect Core §4. */
    initiateLoginUri: text('initiate_login_uri'),
    tosUri: text('tos_uri'),
    policyUri: text('policy_uri'),
    /** Declared in configuration, and then changed only there. */
    declared: boolean('declared').notNull().default(false),
    registeredBy: text('registered_by').$type<Client['registeredBy']>().notNull().default('operator'),
    epoch: epoch('epoch').default(sql`0`),
    createdAt: instant('created_at').notNull().defaultNow(),
    deletedAt: instant('deleted_at'),
    ...authenticated(),
    /** A second MAC, over the columns that a token request reads (authentic-clients.ts). */
    tokenMac: bytes('token_mac'),
  } satisfies Record<keyof Client | 'declared' | 'createdAt' | 'tokenMac', unknown>,
  (table) => [
    index('clients_created_at').on(table.createdAt, table.clientId),
    index('clients_client_name').on(table.clientName, table.clientId),
    index('clients_search')
      .using('gin', trigrams(clientSearchText(table)))
      .where(sql`${table.deletedAt} is null`),
    index('clients_web_origins').using('gin', webOrigins(table)).where(isPublicWebClient(table)),
  ],
);

type ClientFactsRow = Omit<typeof clients.$inferSelect, 'mac' | 'tokenMac' | 'createdAt'>;

/**
 * Columns of later migrations, with the default that the migration gave older rows. A MAC has such a column only where it
 * holds another value: so the MACs of older rows stay right, and no write to the database adds a value.
 */
const ADDED = {
  consent: 'ask',
  clientUri: null,
  initiateLoginUri: null,
  jwks: null,
  jwksUri: null,
  tokenEndpointAuthSigningAlg: null,
  dpopBoundAccessTokens: false,
  requirePushedAuthorizationRequests: false,
  requireSignedRequestObject: false,
  requestObjectSigningAlg: null,
  authorizationSignedResponseAlg: null,
  tlsClientAuthSubjectDn: null,
  tlsClientAuthSanDns: null,
  tlsClientAuthSanUri: null,
  tlsClientAuthSanIp: null,
  tlsClientAuthSanEmail: null,
  workloadIssuer: null,
  workloadSubject: null,
  tlsClientCertificateBoundAccessTokens: false,
} as const;

/** Each other column but these is part of the registration. */
const OTHERS = [
  'mac',
  'tokenMac',
  'macVersion',
  'createdAt',
  'epoch',
  'deletedAt',
] as const satisfies readonly (keyof typeof clients.$inferSelect)[];
type RegistrationName = Exclude<keyof ClientFactsRow, (typeof OTHERS)[number] | keyof typeof ADDED>;
const LEFT_OUT: ReadonlySet<string> = new Set([...OTHERS, ...Object.keys(ADDED)]);
const REGISTRATION_NAMES = Object.keys(getTableColumns(clients))
  .filter((name): name is RegistrationName => !LEFT_OUT.has(name))
  .toSorted();

/** All of the registration but the id changes as a whole, by an administrator. */
const REPLACED = Object.fromEntries(
  Object.keys(getTableColumns(clients))
    .filter((name) => name !== 'clientId' && !OTHERS.some((other) => other === name))
    .map((name) => [name, 'registration'] as const),
);

const addedOf = (row: Pick<ClientFactsRow, keyof typeof ADDED>) =>
  Object.entries(ADDED).flatMap(([name, standard]) => {
    const value = row[name as keyof typeof ADDED];
    return value === standard ? [] : [`${name}:${typeof value === 'string' ? value : JSON.stringify(inOrder(value))}`];
  });

/** Its whole registration, and whether it is deleted. The epoch ends all older grants, and only rises. */
export const clientFacts = (row: ClientFactsRow): Facts => [
  'client',
  [
    JSON.stringify(REGISTRATION_NAMES.map((name) => inOrder(row[name]))),
    row.deletedAt !== null,
    row.macVersion,
    ...addedOf(row),
  ],
];

/** The facts that a token request reads. */
export const tokenClientFacts = (row: TokenClient & Pick<typeof clients.$inferSelect, 'macVersion'>): Facts => [
  'client-at-token',
  [
    row.clientId,
    row.tokenEndpointAuthMethod,
    row.secretMacs.map(({ keyId, mac }) => `${keyId}:${mac}`),
    row.grantTypes,
    row.scope,
    row.policy,
    row.idTokenSignedResponseAlg,
    row.deletedAt !== null,
    row.macVersion,
    // As in ADDED.
    ...(row.dpopBoundAccessTokens ? ['dpopBoundAccessTokens:true'] : []),
    ...(row.tlsClientCertificateBoundAccessTokens ? ['tlsClientCertificateBoundAccessTokens:true'] : []),
  ],
];

/** lifecycle.ts derives them. */
const STATES: Derived = {
  registered: (row) => `${row}.deleted_at IS NULL`,
  deleted: (row) => `${row}.deleted_at IS NOT NULL`,
};

export const clientTable = described(clients, {
  machine: 'client',
  key: clients.clientId,
  /** `end`: changes with the machine. `epoch`: only rises. */
  changes: { ...REPLACED, secretMacs: 'secret', deletedAt: 'end', epoch: 'epoch' },
  spreadBy: 'everywhere',
  rights: PASSING,
  // A client that introduced itself, and that no document, registration, request, grant or consent is about: it may introduce itself again.
  // Foreign keys keep a client that one of these names meanwhile. A deleted one stays where its document would register it again.
  removal: (now) => [
    {
      ended: sql`${clients.registeredBy} = 'self'
        and ((${clients.deletedAt} is null and ${clients.epoch} = 0) or not ${hasDocumentUrl(clients)})
        and ${clients.createdAt} < ${anHourBefore(earlier(now))}`,
      over: null,
      keptBy: {
        column: clients.clientId,
        tables: ['client_documents', 'client_registrations', 'pushed_requests', 'interactions', 'consents', 'grants'],
      },
    },
  ],
  mac: { facts: clientFacts, tokenFacts: tokenClientFacts, alive: sql`${clients.deletedAt} is null` },
  counted: { state: sql`case when ${clients.deletedAt} is null then 'registered' else 'deleted' end` },
  madeUnderRoot: [
    {
      purpose: 'client-secret',
      what: 'client secrets',
      remedy: 'atUse',
      count: () =>
        byKey(
          sql`stored ->> 'keyId'`,
          sql`${clients} cross join jsonb_array_elements(secret_macs) stored where deleted_at is null`,
        ),
    },
  ],
  webhookEvents: {
    'client.created': [{ from: ['unregistered', 'deleted'], to: ['registered'] }],
    'client.changed': [{ events: ['registrationRequested'], from: ['registered'], to: ['registered'] }],
    'client.secret_rotated': [{ events: ['secretRequested', 'secretReplacementRequested'], from: ['registered'] }],
    'client.secret_removed': [{ events: ['secretRemovalRequested'], from: ['registered'] }],
    'client.deleted': [{ from: ['registered'], to: ['deleted'] }],
  },
  rules: [
    beginsDerived('a client begins as registered', STATES),
    keeps('keeps_its_id', 'a client keeps its id'),
    movesDerived('client', ['deleted_at'], STATES),
    epochRises,
    refuses('deletion_raises_epoch', { update: ['deleted_at'] }, 'deleting a client raises its epoch', [
      'OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL AND NEW.epoch <= OLD.epoch',
    ]),
    refuses('deleted_has_no_secret', { update: ['deleted_at', 'secret_macs'] }, 'a deleted client has no secret', [
      "NEW.deleted_at IS NOT NULL AND NEW.secret_macs <> '[]'::jsonb",
    ]),
    staysUntil('stays', 'a client keeps its row, so that its id never revives a grant', [
      "OLD.registered_by <> 'self'",
      // Otherwise its document would register it again. The server draws each other id once.
      "OLD.client_id LIKE 'https://%' AND (OLD.deleted_at IS NOT NULL OR OLD.epoch <> 0)",
    ]),
    isNotEmptied('clients are deleted one by one'),
  ],
});
