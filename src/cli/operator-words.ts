/** The administrators, as `check` shows them, and the warnings about operators.yaml. */
import type { OperatorsFile } from '../../policies/operators-schema.ts';
import { OPERATORS_FILE } from '../config/configuration.ts';
import { printable } from '../config/shown.ts';
import type { ClientMetadata } from '../model/client.ts';
import { usernameKey } from '../oauth/username.ts';

export const usernamesIn = ({ operators, auditors }: OperatorsFile): readonly string[] => [...operators, ...auditors];

/** Empty: no administrator. */
export const operatorRows = (
  { operators, auditors, clients }: OperatorsFile,
  bySetUp: string | null,
): [string, string[]][] =>
  [
    ['operators', operators.map(printable)] as [string, string[]],
    ['by a set-up', bySetUp === null ? [] : [printable(bySetUp)]] as [string, string[]],
    ['auditors', auditors.map(printable)] as [string, string[]],
    ['clients', clients.map(({ client_id: id, scope }) => `${id}: ${scope.join(' ')}`)] as [string, string[]],
  ].filter(([, entries]) => entries.length > 0);

/** In production, where no demo user administers. */
export function nobodyWarning({ operators }: OperatorsFile, { usernames, operatorBySetUp }: Administering): string[] {
  if (operatorBySetUp !== null) {
    return [
      `the operator "${printable(operatorBySetUp)}" administers by a set-up alone: name an operator in ${OPERATORS_FILE}, which ends that`,
    ];
  }
  const mayOne = usernames === null || operators.some((username) => usernames.includes(usernameKey(username)));
  return mayOne
    ? []
    : [
        'no operator exists, so no user administers this server: make a link for the first with "statehouse operators set-up"',
      ];
}

type Administering = Pick<Known, 'usernames'> & {
  /** The username of the operator whom a set-up made; null: none. */
  readonly operatorBySetUp: string | null;
};

type Known = {
  /** The keys of those usernames that end-users have; null: the database cannot be read. */
  readonly usernames: readonly string[] | null;
  /** The keys of those who have neither a passkey nor an authenticator app. */
  readonly withoutFactor: readonly string[];
  readonly clients: readonly Pick<
    ClientMetadata & { readonly clientId: string },
    'clientId' | 'grantTypes' | 'tokenEndpointAuthMethod' | 'scope'
  >[];
};

export const operatorWarnings = (file: OperatorsFile, { usernames, withoutFactor, clients }: Known): string[] =>
  usernames === null
    ? []
    : [
        ...unknownUsers(file, usernames),
        ...usersWithoutFactor(file, withoutFactor),
        ...file.clients.flatMap((entry) => ofClient(entry, clients)),
      ];

const unknownUsers = (file: OperatorsFile, usernames: readonly string[]): string[] =>
  usernamesIn(file)
    .filter((username) => !usernames.includes(usernameKey(username)))
    .map(
      (username) =>
        `${OPERATORS_FILE}: no end-user has the username "${printable(username)}"; an end-user who is created with it gets this role`,
    );

const usersWithoutFactor = ({ operators }: OperatorsFile, without: readonly string[]): string[] =>
  operators
    .filter((username) => without.includes(usernameKey(username)))
    .map(
      (username) =>
        `${OPERATORS_FILE}: the operator "${printable(username)}" has no second factor, so the password alone administers this server; ` +
        'the operator adds a passkey or an authenticator app at /account/sign-in-methods',
    );

function ofClient({ client_id: id, scope }: OperatorsFile['clients'][number], clients: Known['clients']): string[] {
  const client = clients.find(({ clientId }) => clientId === id);
  if (!client)
    return [`${OPERATORS_FILE}: no client has the id "${id}"; a client that is registered with it gets these scopes`];
  const above = client.scope === null ? [] : scope.filter((name) => client.scope?.includes(name) === false);
  return [
    ...(client.grantTypes.includes('client_credentials')
      ? []
      : [
          `${OPERATORS_FILE}: the client "${id}" has no grant type "client_credentials", so these scopes are never granted`,
        ]),
    ...above.map(
      (name) => `${OPERATORS_FILE}: "${name}" is not in the scope of the client "${id}", so it is never granted`,
    ),
  ];
}
