/** The sections of /account as data, in the order of the navigation. Each has its routes in a file of its own, `<id>-routes.ts`. */
import type { Configuration } from '../../config/configuration.ts';

/** What decides whether a section is there. */
export type AccountFacts = { readonly configuration: Configuration; readonly sendsMail: boolean };

type Section = {
  readonly id: string;
  /** Below the path of the issuer. */
  readonly path: `/account/${string}`;
  /** The whole section is for those who signed in recently: the others are asked to sign in again, and come back. */
  readonly needsRecentSignIn: boolean;
  /** Some of what the section does takes a recent sign-in: `/sign-in?then=<id>` asks again when it is not. */
  readonly sometimesNeedsRecentSignIn?: boolean;
  readonly isAvailable: (facts: AccountFacts) => boolean;
};

const always = () => true;

const LISTED = [
  // It asks for the password itself, or else for a recent sign-in.
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
/** The page that was there before the account. */
export const PERMISSIONS = '/permissions';

/** Where a sign-in may lead, by the names that `/sign-in?then=` takes: a closed list, so that nobody is sent anywhere else. */
const DESTINATIONS: ReadonlyMap<string, Destination> = new Map<string, Destination>([
  ['permissions', { name: 'permissions', path: PERMISSIONS, needsRecentSignIn: false }],
  ...SECTIONS.map(
    ({ id, path, needsRecentSignIn: always, sometimesNeedsRecentSignIn: sometimes = false }) =>
      [id, { name: id, path, needsRecentSignIn: always || sometimes }] as const,
  ),
]);

export type Destination = {
  /** Null: none was named. */
  readonly name: string | null;
  readonly path: string;
  /** A session whose sign-in is too long ago is no reason to skip the form. */
  readonly needsRecentSignIn: boolean;
};

const OVERVIEW: Destination = { name: null, path: ACCOUNT, needsRecentSignIn: false };

/** @param name as sent; null: not sent. An unknown name leads to the overview. */
export const destinationNamed = (name: string | null): Destination =>
  (name === null ? undefined : DESTINATIONS.get(name)) ?? OVERVIEW;

/** @returns path and query, below the path of the issuer. */
export const signInPath = (name: string | null, more: Readonly<Record<string, string>> = {}): string =>
  withQuery('/sign-in', name, more);

/** Where a sign-in that leads there asks for a second factor. */
export const factorPath = (name: string | null, below = ''): string => withQuery(`/sign-in/factor${below}`, name);

/** Where a passkey signs in that leads there. */
export const passkeyPath = (name: string | null): string => withQuery('/sign-in/passkey', name);

function withQuery(path: string, name: string | null, more: Readonly<Record<string, string>> = {}): string {
  const named: [string, string][] = name === null ? [] : [['then', name]];
  const query = new URLSearchParams([...named, ...Object.entries(more)]);
  return query.size === 0 ? path : `${path}?${query}`;
}
