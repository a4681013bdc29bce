/**
 * The sections of /account as data, in the order of the navigation. The routes of each are in a file of their own,
 * `<id>-routes.ts`.
 */
import type { Configuration } from '../../config/configuration.ts';

/** The facts that decide which sections exist. */
export type AccountFacts = { readonly configuration: Configuration; readonly sendsMail: boolean };

type Section = {
  readonly id: string;
  /** Below the path of the issuer. */
  readonly path: `/account/${string}`;
  /** The whole section needs a recent sign-in. Other users sign in again, and return. */
  readonly needsRecentSignIn: boolean;
  /** Some actions of the section need a recent sign-in. `/sign-in?then=<id>` asks for one. */
  readonly sometimesNeedsRecentSignIn?: boolean;
  readonly isAvailable: (facts: AccountFacts) => boolean;
};

const always = () => true;

const LISTED = [
  {
    id: 'profile',
    path: '/account/profile',
    needsRecentSignIn: false,
    isAvailable: ({ configuration }) => (configuration.claims.editableByUser ?? []).length > 0,
  },
  // The section asks for the password itself, or else for a recent sign-in.
  {
    id: 'password',
    path: '/account/password',
    needsRecentSignIn: false,
    sometimesNeedsRecentSignIn: true,
    isAvailable: always,
  },
  { id: 'devices', path: '/account/devices', needsRecentSignIn: false, isAvailable: always },
  {
    id: 'sign-in-methods',
    path: '/account/sign-in-methods',
    needsRecentSignIn: true,
    isAvailable: always,
  },
  { id: 'apps', path: '/account/apps', needsRecentSignIn: false, isAvailable: always },
  { id: 'email', path: '/account/email', needsRecentSignIn: true, isAvailable: ({ sendsMail }) => sendsMail },
  {
    id: 'linked-identities',
    path: '/account/linked-identities',
    needsRecentSignIn: true,
    isAvailable: ({ configuration }) => configuration.upstreams.length > 0,
  },
  { id: 'data', path: '/account/data', needsRecentSignIn: true, isAvailable: always },
  { id: 'delete', path: '/account/delete', needsRecentSignIn: true, isAvailable: always },
] as const satisfies readonly Section[];

export type SectionId = (typeof LISTED)[number]['id'];
export type AccountSection = Section & { readonly id: SectionId };

/** The titles are in the words of the account, by id. */
export const SECTIONS: readonly AccountSection[] = LISTED;

export const sectionOf = (id: SectionId): AccountSection => {
  const section = SECTIONS.find((listed) => listed.id === id);
  if (section === undefined) throw new Error(`There is no section "${id}".`);
  return section;
};

export const ACCOUNT = '/account';
/** The predecessor of the account pages. */
export const PERMISSIONS = '/permissions';

/**
 * The destinations of a sign-in, by the names in `/sign-in?then=`. The list is closed, so the parameter cannot name
 * another page.
 */
const DESTINATIONS: ReadonlyMap<string, Destination> = new Map<string, Destination>([
  ['permissions', { name: 'permissions', path: PERMISSIONS, needsRecentSignIn: false }],
  ...SECTIONS.map(
    ({ id, path, needsRecentSignIn: always, sometimesNeedsRecentSignIn: sometimes = false }) =>
      [id, { name: id, path, needsRecentSignIn: always || sometimes }] as const,
  ),
]);

export type Destination = {
  /** Null: the request names none. */
  readonly name: string | null;
  readonly path: string;
  /** A session whose sign-in is too long ago does not skip the form. */
  readonly needsRecentSignIn: boolean;
};

const OVERVIEW: Destination = { name: null, path: ACCOUNT, needsRecentSignIn: false };

/** @param name as sent. Null: not sent. An unknown name leads to the overview. */
export const destinationNamed = (name: string | null): Destination =>
  (name === null ? undefined : DESTINATIONS.get(name)) ?? OVERVIEW;

/** @returns path and query, below the path of the issuer. */
export const signInPath = (name: string | null, more: Readonly<Record<string, string>> = {}): string =>
  withQuery('/sign-in', name, more);

/** The page of the second factor, for a sign-in with this destination. */
export const factorPath = (name: string | null, below = ''): string => withQuery(`/sign-in/factor${below}`, name);

/** The page of the passkey, for a sign-in with this destination. */
export const passkeyPath = (name: string | null): string => withQuery('/sign-in/passkey', name);

/** The page of a code by mail, for a sign-in with this destination, or its form. */
export const codePath = (name: string | null, below = '', more: Readonly<Record<string, string>> = {}): string =>
  withQuery(`/sign-in/code${below}`, name, more);

function withQuery(path: string, name: string | null, more: Readonly<Record<string, string>> = {}): string {
  const named: [string, string][] = name === null ? [] : [['then', name]];
  const query = new URLSearchParams([...named, ...Object.entries(more)]);
  return query.size === 0 ? path : `${path}?${query}`;
}
