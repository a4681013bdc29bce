/** The collections of the API, in words. */
import { ADDRESSES, type Address } from '../operations.ts';

type CollectionOf<Path> = Path extends `/${infer First}/${string}`
  ? First
  : Path extends `/${infer First}`
    ? First
    : never;

const DESCRIPTIONS: Readonly<Record<CollectionOf<Address>, string>> = {
  '': 'The root of the API: the caller with its scopes, and links to the collections.',
  status: 'The state of the node that answers, and of its database.',
  alarms: 'The conditions that an operator acts on, and whether they hold.',
  statistics: 'Time series of sign-ins, new end-users, chains and latency.',
  clients: 'The registered clients with their secrets, and the consequences of deleting a client.',
  users: 'The end-users with their factors, linked identities, sessions, grants and trusted browsers.',
  'user-imports': 'End-users of another system, many in one request.',
  invitations: 'Invitations to sign up, sent by mail.',
  grants: 'The authorizations that end-users gave to clients, each with its chain of refresh tokens.',
  explanations: 'The life of a token, a code or a grant: why it is active, or why it ended.',
  sessions: 'The sessions of end-users at this server.',
  'sign-ins': 'Delegated sign-ins: the application of the team reports which end-user signed in.',
  'signing-keys': 'The keys that sign tokens, without their private halves.',
  'webhook-receivers': 'The endpoints of other systems that receive events.',
  'webhook-deliveries': 'The events that the server sent to endpoints, with each attempt.',
  batches: 'Up to 1,000 changes in one request, each with its own outcome.',
  mails: 'The mails of the server with the texts and the look of the team, and test mails.',
  transitions: 'The ledger: every decision that changed a state.',
  'ledger-verifications': 'Verifications of the seals of the ledger.',
  'transition-kinds': 'The machines, events, states and reasons of ledger entries.',
  machines: 'The state machines that decide, with counts and pictures.',
  policies: 'The policies: the lifetimes of codes, tokens and chains.',
  resources: 'The APIs that accept the tokens of the server, with their scopes.',
  settings: 'Entries of the configuration, each with its file and key.',
  secrets: 'The secrets that the configuration names: which are set, never their values.',
  'policy-files': 'The texts of the policy files, for drafts.',
  backtests: 'The consequences of a drafted policy file, in numbers.',
};

const collectionOf = (path: Address): CollectionOf<Address> => (path.split('/')[1] ?? '') as CollectionOf<Address>;

const nameOf = (collection: string): string => collection.replaceAll('-', ' ') || 'API';

/** The collection that a path is in. */
export const tagOf = (path: Address): string => nameOf(collectionOf(path));

export const TAGS = [...new Set(ADDRESSES.map(collectionOf))].map((collection) => ({
  name: nameOf(collection),
  description: DESCRIPTIONS[collection],
}));
