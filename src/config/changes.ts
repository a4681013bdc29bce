/** The differences between two configurations, key by key, for the log. */
import type { Configuration } from './configuration.ts';

export type Change = { readonly key: string; readonly from: unknown; readonly to: unknown };

export function changesBetween(before: Configuration, after: Configuration): Change[] {
  const [old, fresh] = [flatten(plain(before)), flatten(plain(after))];
  const keys = [...new Set([...old.keys(), ...fresh.keys()])].sort();
  return keys.flatMap((key) => {
    const [from, to] = [old.get(key), fresh.get(key)];
    return from === to ? [] : [{ key, from: from ?? null, to: to ?? null }];
  });
}

/** Without declared clients: those are compared with the database (src/registration/declared-clients.ts). */
const plain = ({ policies, resources, claims, signIn, signingKeys }: Configuration) => ({
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
  signIn,
  signingKeys,
});

function flatten(value: unknown, path: string[] = []): Map<string, unknown> {
  if (typeof value !== 'object' || value === null) return new Map([[path.join('.'), value]]);
  return new Map(Object.entries(value).flatMap(([key, inner]) => [...flatten(inner, [...path, key])]));
}
