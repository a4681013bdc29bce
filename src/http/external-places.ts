/** The federated and delegated sign-ins that the sign-in page offers. */
import type { Configuration } from '../config/configuration.ts';
import type { ExternalButtons } from './views/external-sign-in.ts';

const DELEGATED = 'delegated';

/**
 * Null: none. The name `delegated` cannot collide: an upstream of that name has a prefix.
 * @param only these upstreams, by name. Null: all.
 */
export function externalPlaces(
  configuration: Configuration,
  action: string,
  only: readonly string[] | null = null,
): ExternalButtons | null {
  const { delegatedSignIn } = configuration;
  const upstreams = configuration.upstreams.filter(({ name }) => only === null || only.includes(name));
  const places = [
    ...(delegatedSignIn === null ? [] : [{ name: DELEGATED, label: delegatedSignIn.label }]),
    ...upstreams.map(({ name, label, preset }) => ({ name: `upstream:${name}`, label, preset })),
  ];
  return places.length === 0 ? null : { action, places };
}

export type Place = { readonly delegated: true } | { readonly upstream: string };

/** The value of a button. Null: no button has it. */
export function placeOf(sent: string | null): Place | null {
  if (sent === DELEGATED) return { delegated: true };
  const name = /^upstream:([a-z0-9-]{1,40})$/.exec(sent ?? '')?.[1];
  return name === undefined ? null : { upstream: name };
}
