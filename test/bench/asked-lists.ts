/** Requests of administrators to the lists: every order, and each filter with many, few and no matches. */
import type { Extent } from './filled-lists.ts';

export type Known = Readonly<Record<'client_id' | 'sub' | 'grant_id' | 'sid' | 'kid', string>>;

const DAY_MILLISECONDS = 86_400_000;
const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MILLISECONDS).toISOString();
const queries = (path: string, asked: readonly Readonly<Record<string, string>>[]): readonly string[] =>
  asked.map((query) => `${path}?${new URLSearchParams(query)}`);

export const askedLists = (known: Known, extent: Extent): readonly string[] => [
  ...queries('/clients', [
    ...['number 1', '9999', 'muller', '~!'].map((q) => ({ q })),
    ...['client_name', 'created_at'].flatMap((sort) => [{ sort }, { sort, order: 'desc' }]),
    { declared: 'true' },
    { q: 'number 1', sort: 'created_at', order: 'desc', declared: 'false', fields: 'client_id,client_name' },
  ]),
  ...queries('/users', askedUsers(extent)),
  ...queries('/grants', [
    { client_id: known.client_id },
    { state: 'ended' },
    { sub: known.sub, state: 'active' },
    { to: daysAgo(1 / 24) },
  ]),
  ...queries('/sessions', [{ state: 'ended' }]),
  ...queries('/transitions', askedEntries(known)),
];

function askedUsers({ users }: Extent): readonly Readonly<Record<string, string>>[] {
  const searches = ['99', String(users - 1), 'muller', 'firma-7.ex', 'zzz', 'f0', 'q', 'muller f3', '~!'];
  return [
    ...searches.map((q) => ({ q })),
    ...['created_at', 'last_sign_in_at'].flatMap((sort) => [{ sort }, { sort, order: 'desc' }]),
    { username: 'user-77' },
    { limit: '100', fields: 'sub,username' },
    ...['true', 'false'].flatMap((disabled) => [{ disabled }, { disabled, sort: 'last_sign_in_at' }]),
    ...['true', 'false'].map((has_password) => ({ has_password })),
    ...['true', 'false'].map((email_verified) => ({ email_verified })),
    ...['passkey', 'authenticator_app', 'recovery_code', 'none'].map((factor) => ({ factor })),
    ...['department=department 7', 'department=none', 'email_verified=true'].map((claim) => ({ claim })),
    { claim: 'department=department 7', sort: 'last_sign_in_at', order: 'desc' },
    { signed_in_since: daysAgo(1) },
    { signed_in_since: daysAgo(1), sort: 'last_sign_in_at' },
    { signed_in_since: daysAgo(-1) },
    { not_signed_in_since: daysAgo(90) },
    { not_signed_in_since: daysAgo(90), sort: 'last_sign_in_at' },
    { q: 'muller', factor: 'none', has_password: 'true', sort: 'created_at', order: 'desc' },
    { q: 'firma-7.ex', disabled: 'true', factor: 'passkey' },
    { has_password: 'false', factor: 'recovery_code', email_verified: 'true', not_signed_in_since: daysAgo(90) },
  ];
}

function askedEntries({ client_id, sub, grant_id, sid }: Known): readonly Readonly<Record<string, string>>[] {
  const hour = daysAgo(1 / 24);
  return [
    { order: 'asc' },
    ...['refresh_token_reused', 'none_has_it'].map((reason) => ({ reason })),
    ...['refreshToken', 'signIn', 'none'].map((machine) => ({ machine })),
    { machine: 'refreshToken', to_state: 'revoked' },
    { machine: 'signIn', to_state: 'refused', from: daysAgo(1) },
    { event: 'none_has_it', order: 'asc' },
    { client_id },
    { client_id, from: hour },
    { sub },
    { sub, machine: 'none' },
    { grant_id },
    { session_id: sid },
    { actor_sub: sub },
    { actor: 'command_line' },
    { address: '192.0.2.7' },
    { address: '198.51.100.1' },
    { account_hash: `00000000.${'0'.repeat(22)}` },
    { user_agent: 'curl' },
    { from: hour },
    { to: hour },
    { reason: 'none_has_it', from: daysAgo(1), to: hour },
  ];
}
