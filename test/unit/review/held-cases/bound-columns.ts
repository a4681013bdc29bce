/**
 * Columns that stay as they were inserted. Each column of the database that is not named here is tried, so that a new column has to be
 * thought about.
 */
import {
  APP,
  CLIENT,
  CODE,
  CONSENT,
  DELIVERY,
  DOCUMENT,
  EXTERNAL,
  GRANT,
  IDENTITY,
  INTERACTION,
  KEY,
  LINK,
  MAIL,
  MAILED_CODE,
  PASSKEY,
  PUSHED,
  REGISTRATION,
  SECRET,
  SESSION,
  SET_UP,
  TRUSTED,
  USED_JTI,
  USER,
} from '../held-rows.ts';
import { allowed, type Column, type HeldCase, refused, updateOf } from './case.ts';

const MAY_CHANGE: Readonly<Record<string, readonly string[]>> = {
  grants: [
    'state',
    'revoked_at',
    'revoked_reason',
    'refresh_generation',
    'refresh_nonce',
    'last_used_at',
    'chain_ends_at',
  ],
  interactions: ['state', 'user_id'],
  signing_keys: [
    'state',
    'private_jwe',
    'began_signing_at',
    'rotation_asked_at',
    'stopped_signing_at',
    'retired_at',
    'retired_reason',
    'mac',
    'mac_version',
  ],
  sessions: ['state', 'ended_reason', 'ends_at', 'last_used_at', 'id_hash', 'amr', 'mac', 'mac_version'],
  second_factors: ['state', 'sealed_secret', 'last_step', 'confirmed_at', 'removed_at'],
  recovery_codes: ['state', 'ended_at'],
  passkeys: ['state', 'name', 'public_key', 'counter', 'last_used_at', 'removed_at', 'mac', 'mac_version'],
  trusted_browsers: ['state', 'secret_hash', 'last_used_at', 'ended_at', 'mac', 'mac_version'],
  email_challenges: ['state', 'superseded_reason', 'newer_links', 'mac', 'mac_version'],
  operator_set_ups: ['state', 'user_id', 'ended_reason', 'mac', 'mac_version'],
  pushed_requests: ['state', 'sealed'],
  client_registrations: ['state', 'unused_until', 'mac', 'mac_version'],
  client_documents: ['state', 'fetched_at', 'fresh_until', 'failed_at', 'problem'],
  sign_in_codes: ['state', 'wrong_codes', 'user_id', 'user_epoch', 'address', 'mac', 'mac_version'],
  clients: [
    'client_name',
    'consent',
    'client_uri',
    'initiate_login_uri',
    'application_type',
    'token_endpoint_auth_method',
    'jwks',
    'jwks_uri',
    'token_endpoint_auth_signing_alg',
    'secret_macs',
    'redirect_uris',
    'grant_types',
    'scope',
    'default_scope',
    'default_resource',
    'policy',
    'post_logout_redirect_uris',
    'id_token_signed_response_alg',
    'dpop_bound_access_tokens',
    'require_pushed_authorization_requests',
    'require_signed_request_object',
    'request_object_signing_alg',
    'authorization_signed_response_alg',
    'tls_client_auth_subject_dn',
    'tls_client_auth_san_dns',
    'tls_client_auth_san_uri',
    'tls_client_auth_san_ip',
    'tls_client_auth_san_email',
    'workload_issuer',
    'workload_subject',
    'tls_client_certificate_bound_access_tokens',
    'logo_uri',
    'tos_uri',
    'policy_uri',
    'declared',
    'registered_by',
    'mac',
    'mac_version',
    'token_mac',
    'epoch',
    'deleted_at',
  ],
  external_sign_ins: ['state', 'user_id', 'user_epoch', 'amr', 'authenticated_at', 'refusal', 'mac', 'mac_version'],
  linked_identities: ['state', 'removed_at', 'removed_reason', 'mac', 'mac_version'],
  mails: ['state', 'attempts', 'next_attempt_at', 'sealed_contents', 'ended_at', 'drop_reason'],
  webhook_deliveries: [
    'state',
    'attempts',
    'next_attempt_at',
    'gives_up_at',
    'last_outcome',
    'ended_at',
    'abandoned_reason',
  ],
  configured_secrets: ['version', 'sealed_value', 'changed_at'],
  consents: ['user_epoch', 'client_epoch', 'scope', 'granted_at', 'mac', 'mac_version'],
  users: [
    'username',
    'username_key',
    'password_hash',
    'password_by_link_at',
    'imported_hash',
    'claims',
    'sign_in_address',
    'epoch',
    'changed_at',
    'disabled_at',
    'deleted_at',
    'mac',
    'mac_version',
  ],
};

/** The rule that refuses, the column that names a row, and a row whose bound columns all have a value. */
const BOUND: Readonly<Record<string, readonly [rule: string, key: string, row: string]>> = {
  grants: ['grants_keeps_what_was_approved', 'id', GRANT.rotated],
  interactions: ['interactions_keeps_what_was_asked', 'id', INTERACTION.awaitingConsent],
  signing_keys: ['signing_keys_keeps_what_was_published', 'kid', KEY.signing],
  sessions: ['sessions_keeps_what_signed_in', 'sid', SESSION.active],
  email_challenges: ['email_challenges_keeps_what_was_sent', 'id', LINK.active],
  second_factors: ['second_factors_keeps_its_owner', 'id', APP.active],
  recovery_codes: ['recovery_codes_keeps_its_owner', 'id', CODE.active],
  passkeys: ['passkeys_keeps_its_owner', 'id', PASSKEY.active],
  trusted_browsers: ['trusted_browsers_keeps_its_owner', 'id', TRUSTED.active],
  external_sign_ins: ['external_sign_ins_keeps_what_began', 'id', EXTERNAL.awaiting],
  operator_set_ups: ['operator_set_ups_keeps_what_was_issued', 'id', SET_UP.active],
  pushed_requests: ['pushed_requests_keeps_what_was_pushed', 'id', PUSHED.pushed],
  client_registrations: ['client_registrations_keeps_its_token', 'client_id', REGISTRATION.unused],
  client_documents: ['client_documents_keeps_its_url', 'client_id', DOCUMENT.known],
  used_jtis: ['used_jtis_keeps_its_use', 'hash', USED_JTI.live],
  sign_in_codes: ['sign_in_codes_keeps_what_was_asked', 'id', MAILED_CODE.active],
  linked_identities: ['linked_identities_keeps_what_was_linked', 'id', IDENTITY.active],
  webhook_deliveries: ['webhook_deliveries_keeps_its_event', 'id', DELIVERY.pending],
  mails: ['mails_keeps_what_was_written', 'id', MAIL.pending],
  configured_secrets: ['configured_secrets_keeps_its_name', 'name', SECRET.set],
  consents: ['consents_keeps_whose_it_is', 'id', CONSENT.given],
  // Of rows that no other row names.
  clients: ['clients_keeps_its_id', 'client_id', CLIENT.another],
  users: ['users_keeps_its_sub', 'id', USER.disabled],
};

/** Where a foreign key would refuse any other value first. */
const ANOTHER: Readonly<Record<string, string>> = {
  client_id: `'${CLIENT.another}'`,
  user_id: `'${USER.bob}'`,
  purpose: "'verify_address'",
};
const OWN_NAME: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  clients: { client_id: "'renamed'" },
  mails: { purpose: "'link'" },
};
const DIFFERENT: Readonly<Record<string, (column: string) => string>> = {
  text: (column) => `coalesce(${column}, '') || 'x'`,
  uuid: () => 'gen_random_uuid()',
  bigint: (column) => `${column} + 1`,
  integer: (column) => `coalesce(${column}, 0) + 1`,
  bytea: (column) => `${column} || '\\x00'::bytea`,
  boolean: (column) => `NOT ${column}`,
  jsonb: () => `'{"changed": true}'`,
  ARRAY: (column) => `array_append(${column}, 'x')`,
  'timestamp with time zone': (column) => `${column} + interval '1 microsecond'`,
};

const isBound = ({ table, name }: Column): boolean => BOUND[table] !== undefined && !MAY_CHANGE[table]?.includes(name);

export const boundColumnCases = (columns: readonly Column[]): readonly HeldCase[] => [
  ...columns.filter(isBound).map(({ table, name, type }) => {
    const [rule = '', key = '', row = ''] = BOUND[table] ?? [];
    const value = OWN_NAME[table]?.[name] ?? ANOTHER[name] ?? DIFFERENT[type]?.(name);
    if (value === undefined) throw new Error(`Expected another value for ${table}.${name}, found none for ${type}.`);
    return refused(rule, `${table}.${name} changes`, updateOf(table, key)(row, `${name} = ${value}`));
  }),
  ...Object.entries(BOUND).map(([table, [, key, row]]) => {
    const bound = columns.filter((column) => column.table === table && isBound(column));
    const same = bound.map(({ name }) => `${name} = ${name}`).join(', ');
    return allowed(`${table}: what is bound is written again`, updateOf(table, key)(row, same));
  }),
];
