/** The differences between two configurations, key by key, for the log. */
import type { OperatorsFile } from '../../policies/operators-schema.ts';
import { shownAddress } from '../../policies/webhooks-schema.ts';
import { usernameKey } from '../oauth/username.ts';
import type { Branding } from './branding.ts';
import type { Configuration } from './configuration.ts';

export type Change = { readonly key: string; readonly from: unknown; readonly to: unknown };

export function changesBetween(before: Configuration, after: Configuration): Change[] {
  const [old, fresh] = [flatten(plain(before)), flatten(plain(after))];
  const keys = [...new Set([...old.keys(), ...fresh.keys()])].sort();
  return keys.flatMap((key) => {
    const [from, to] = [old.get(key), fresh.get(key)];
    return from === to ? [] : [{ key, from: shown(key, from), to: shown(key, to) }];
  });
}

/** Compared as a whole, and told without what only a receiver of webhooks is to know. */
function shown(key: string, value: unknown): unknown {
  if (typeof value !== 'string' || !RECEIVER_URL.test(key)) return value ?? null;
  const address = shownAddress(value);
  return address === value ? value : `${address}?… (not shown)`;
}
const RECEIVER_URL = /^webhooks\.receivers\.[^.]+\.url$/;

/** Without declared clients: those are compared with the database (src/registration/declared-clients.ts). */
const plain = ({
  policies,
  resources,
  claims,
  signIn,
  signingKeys,
  operators,
  upstreams,
  delegatedSignIn,
  webhooks: { receivers, ...webhooks },
  botCheck,
  registration,
  limits,
  ledger,
  branding,
  ownMails,
}: Configuration) => ({
  policies: Object.fromEntries(policies),
  resources: Object.fromEntries(
    resources.map(({ identifier, scopes, ...rest }) => [
      identifier,
      { ...rest, scopes: Object.fromEntries(scopes.map(({ name, description }) => [name, description])) },
    ]),
  ),
  claims: Object.fromEntries(
    claims.scopes.map(({ name, description, claims: told }) => [
      name,
      { description, claims: Object.fromEntries(told.map((claim) => [claim.name, claim.in.toSorted().join(' ')])) },
    ]),
  ),
  editableByUser: claims.editableByUser,
  signIn,
  signingKeys,
  operators: rolesIn(operators),
  upstreams: Object.fromEntries(upstreams.map(({ name, ...rest }) => [name, rest])),
  delegatedSignIn,
  webhooks: { ...webhooks, receivers: Object.fromEntries(receivers.map(({ name, ...rest }) => [name, rest])) },
  botCheck,
  registration,
  limits,
  ledger,
  branding: withoutBytes(branding),
  mails: Object.fromEntries(ownMails.map(({ mail, language, ...rest }) => [`${language}.${mail}`, rest])),
});

/** A file is known by its hash. */
const withoutBytes = (branding: Branding): unknown =>
  JSON.parse(JSON.stringify(branding, (_, value) => (value instanceof Object && 'hash' in value ? value.hash : value)));

/** By name, so that the order of a list means nothing. */
const rolesIn = ({ operators, auditors, clients }: OperatorsFile) => ({
  users: Object.fromEntries([
    ...operators.map((username) => [usernameKey(username), 'operator']),
    ...auditors.map((username) => [usernameKey(username), 'auditor']),
  ]),
  clients: Object.fromEntries(clients.map(({ client_id: id, scope }) => [id, scope.toSorted().join(' ')])),
});

function flatten(value: unknown, path: string[] = []): Map<string, unknown> {
  if (typeof value !== 'object' || value === null) return new Map([[path.join('.'), value]]);
  return new Map(Object.entries(value).flatMap(([key, inner]) => [...flatten(inner, [...path, key])]));
}
