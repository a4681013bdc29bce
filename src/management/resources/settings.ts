/** The configuration in force, entry by entry, each with its place in the files. Read-only: changes go into the files. */
import { z } from 'zod';
import { BRANDING_FILE, type Branding } from '../../config/branding.ts';
import {
  CLAIMS_FILE,
  type Configuration,
  OPERATORS_FILE,
  RESOURCES_FILE,
  SIGNING_KEYS_FILE,
  signingAlgorithmOf,
} from '../../config/configuration.ts';
import { pageBody, pageOf } from '../page.ts';
import { found, resource } from '../resource.ts';

const ABOUT = [
  'resource',
  'scope',
  'claim',
  'editable_claim',
  'branding',
  'operator',
  'auditor',
  'client',
  'signing_keys',
] as const;
type About = (typeof ABOUT)[number];

const shape = z
  .object({
    about: z.enum(ABOUT),
    name: z.string().describe('As tokens, requests or the file have it.'),
    description: z.string().nullable().describe('In words, where the configuration has some.'),
    values: z.record(z.string(), z.array(z.string())),
    where: z
      .object({
        file: z.string(),
        key: z.string().describe('Dotted, with the places in lists: `resources.0.scopes.1`.'),
        line: z.int().nullable().describe('As the server read the file. Null: the file does not name the key.'),
      })
      .nullable()
      .describe('Null: a part of the server, which no file has.'),
  })
  .meta({ id: 'Setting' });

type Where = readonly [file: string, path: readonly (string | number)[]];
type Entry = {
  readonly about: About;
  readonly name: string;
  readonly description?: string | undefined;
  readonly values?: Readonly<Record<string, readonly string[]>>;
  readonly where: Where | null;
};

function resourcesAndScopes({ resources, identity, management, claims }: Configuration): readonly Entry[] {
  const placed = [
    ...resources.map((resource, index) => ({ resource, index })),
    ...[identity, management].map((resource) => ({ resource, index: null })),
  ];
  const releasedBy = (scope: string) =>
    claims.scopes.flatMap(({ name, claims: released }) => (name === scope ? released.map((claim) => claim.name) : []));
  const inClaims = (scope: string): Where | null => {
    const index = claims.scopes.findIndex(({ name, description }) => name === scope && description !== undefined);
    return index < 0 ? null : [CLAIMS_FILE, ['scopes', index]];
  };
  return placed.flatMap(({ resource, index }): readonly Entry[] => {
    const { identifier, name, scopes = [] } = resource;
    const where: Where | null = index === null ? null : [RESOURCES_FILE, ['resources', index]];
    return [
      {
        about: 'resource',
        name: identifier,
        description: name,
        values: {
          scopes: scopes.map((scope) => scope.name),
          access_token_signing_algorithm: [signingAlgorithmOf(resource)],
          default: [String(resource.default === true)],
        },
        where,
      },
      ...scopes.map(
        (scope, place): Entry => ({
          about: 'scope',
          name: scope.name,
          description: scope.description,
          values: { resource: [identifier], claims: releasedBy(scope.name) },
          where: where === null ? inClaims(scope.name) : [RESOURCES_FILE, ['resources', index ?? 0, 'scopes', place]],
        }),
      ),
    ];
  });
}

const claimsOf = ({ claims }: Configuration): readonly Entry[] => [
  ...claims.scopes.flatMap(({ name: scope, claims: released }, index) =>
    released.map(
      (claim, place): Entry => ({
        about: 'claim',
        name: claim.name,
        values: { scope: [scope], in: claim.in },
        where: [CLAIMS_FILE, ['scopes', index, 'claims', place]],
      }),
    ),
  ),
  ...(claims.editableByUser ?? []).map(
    ({ name, label, choices = [] }, index): Entry => ({
      about: 'editable_claim',
      name,
      description: label,
      values: { choices },
      where: [CLAIMS_FILE, ['editableByUser', index]],
    }),
  ),
];

function brandingOf({ branding }: Configuration): readonly Entry[] {
  const image = (one: unknown) => (one === null ? [] : ['an image']);
  const colours = (both: Branding['accentColor']) => (both === null ? [] : [both.light, both.dark]);
  const shown: Readonly<Record<string, readonly string[]>> = {
    organization: [branding.organization ?? []].flat(),
    logo: image(branding.logo),
    wordmark: image(branding.wordmark),
    mailLogo: image(branding.mailLogo),
    favicon: image(branding.favicon),
    font: branding.font === null ? [] : ['a font'],
    cornerRadius: branding.cornerRadius === null ? [] : [String(branding.cornerRadius)],
    background: colours(branding.background),
    accentColor: colours(branding.accentColor),
    links: Object.entries(branding.links).flatMap(([name, url]) => (url === undefined ? [] : [`${name}: ${url}`])),
    footer: [branding.footer ?? []].flat(),
  };
  return Object.entries(shown).map(([name, value]) => ({
    about: 'branding',
    name,
    values: { value },
    where: [BRANDING_FILE, [name]],
  }));
}

const administrators = ({ operators }: Configuration): readonly Entry[] => [
  ...operators.operators.map(
    (name, index): Entry => ({ about: 'operator', name, where: [OPERATORS_FILE, ['operators', index]] }),
  ),
  ...operators.auditors.map(
    (name, index): Entry => ({ about: 'auditor', name, where: [OPERATORS_FILE, ['auditors', index]] }),
  ),
  ...operators.clients.map(
    ({ client_id: name, scope }, index): Entry => ({
      about: 'client',
      name,
      values: { scope },
      where: [OPERATORS_FILE, ['clients', index]],
    }),
  ),
];

const keysOf = ({ signingKeys }: Configuration): readonly Entry[] =>
  Object.entries(signingKeys).map(([name, value]) => ({
    about: 'signing_keys',
    name,
    values: { value: [value].flat().map(String) },
    where: [SIGNING_KEYS_FILE, [name]],
  }));

/** A key without a value is not in the file, where the line would be that of the key above it. */
const whereOf = ({ lineOf }: Configuration, where: Where | null, { value }: NonNullable<Entry['values']>) =>
  where && {
    file: where[0],
    key: where[1].join('.'),
    line: value?.length === 0 ? null : (lineOf?.(...where) ?? null),
  };

/** Usernames are for callers who may read users. */
const NAMES_OF_USERS: ReadonlySet<About> = new Set(['operator', 'auditor']);

export const settings = resource('/settings', 'the settings', {}, (method) => ({
  GET: method({
    summary:
      'The configuration in force, entry by entry: resources, scopes, claims, branding, administrators and the rotation of keys. Each with its file, key and line. The usernames of operators and auditors need the scope `users:read` too.',
    query: z.strictObject({ about: z.enum(ABOUT).optional() }),
    answer: pageOf(shape),
    run: async ({ configuration: inForce }, { query: { about }, href, me }) => {
      const configuration = inForce();
      const all = [resourcesAndScopes, claimsOf, brandingOf, administrators, keysOf].flatMap((entriesOf) =>
        entriesOf(configuration),
      );
      const items = all
        .filter((entry) => about === undefined || entry.about === about)
        .filter((entry) => !NAMES_OF_USERS.has(entry.about) || me.scopes.includes('users:read'))
        .map(({ description = null, values = {}, where, ...entry }) => ({
          ...entry,
          description,
          values,
          where: whereOf(configuration, where, values),
        }));
      return found(pageBody({ items, next: null }, href));
    },
  }),
}));
