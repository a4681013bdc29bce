/** MACs change with their version, and a deleted row does not begin again while an image of it could count. */
import {
  APP,
  CLIENT,
  CODE,
  CONSENT,
  EXTERNAL,
  IDENTITY,
  KEY,
  LINK,
  MAIL,
  MAILED_CODE,
  PASSKEY,
  REGISTRATION,
  SESSION,
  SET_UP,
  TRUSTED,
  USER,
} from '../held-rows.ts';
import { allowed, type HeldCase, refused, updateOf } from './case.ts';

/** The column that names a row, and a row. */
const AUTHENTICATED: Readonly<Record<string, readonly [key: string, row: string]>> = {
  users: ['id', USER.bob],
  clients: ['client_id', CLIENT.another],
  consents: ['id', CONSENT.given],
  sessions: ['sid', SESSION.active],
  signing_keys: ['kid', KEY.signing],
  passkeys: ['id', PASSKEY.active],
  trusted_browsers: ['id', TRUSTED.active],
  linked_identities: ['id', IDENTITY.active],
  external_sign_ins: ['id', EXTERNAL.awaiting],
  email_challenges: ['id', LINK.active],
  sign_in_codes: ['id', MAILED_CODE.active],
  operator_set_ups: ['id', SET_UP.active],
  client_registrations: ['client_id', REGISTRATION.unused],
};

const macCases = Object.entries(AUTHENTICATED).flatMap(([table, [key, row]]) => {
  const rule = `${table}_mac_moves_on`;
  const update = (set: string) => updateOf(table, key)(row, set);
  const next = (version: number) => update(`mac = '\\x0${version}', mac_version = ${version}`);
  return [
    allowed(`${table}: a MAC comes with its version, and another`, next(1), next(2)),
    allowed(`${table}: the same MAC is written again`, next(1), next(1)),
    refused(rule, `${table}: a MAC comes without a version`, update("mac = '\\x01'")),
    refused(rule, `${table}: a MAC comes back`, next(1), next(2), next(1)),
    refused(rule, `${table}: a MAC is removed, and its version stays`, next(1), update('mac = null')),
    refused(rule, `${table}: a version is left out`, update("mac = '\\x02', mac_version = 2")),
    refused(rule, `${table}: a version comes back alone`, next(1), update('mac_version = 0')),
    refused(rule, `${table}: a version is left out alone`, update('mac_version = 2')),
  ];
});

type Deletion = {
  readonly where: string;
  /** The columns that make it a row of its own. */
  readonly another: string;
  /** As its machine begins, where the row is further. */
  readonly begins?: string;
};
const DELETED: Readonly<Record<string, Deletion>> = {
  mails: { where: `id = '${MAIL.pending}'`, another: 'id = gen_random_uuid()', begins: 'attempts = 0' },
  sessions: { where: `sid = '${SESSION.active}'`, another: 'sid = gen_random_uuid()' },
  consents: { where: `id = '${CONSENT.given}'`, another: 'id = gen_random_uuid()' },
  email_challenges: { where: `id = '${LINK.active}'`, another: 'id = gen_random_uuid()' },
  operator_set_ups: { where: `id = '${SET_UP.active}'`, another: "id = gen_random_uuid(), secret_hash = '\\x0eff'" },
  sign_in_codes: { where: `id = '${MAILED_CODE.requested}'`, another: 'id = gen_random_uuid()' },
  passkeys: { where: `id = '${PASSKEY.active}'`, another: 'id = gen_random_uuid()' },
  trusted_browsers: { where: `id = '${TRUSTED.active}'`, another: 'id = gen_random_uuid()' },
  linked_identities: {
    where: `id = '${IDENTITY.removed}'`,
    another: 'id = gen_random_uuid()',
    begins: "state = 'active', removed_at = null, removed_reason = null",
  },
  second_factors: {
    where: `id = '${APP.active}'`,
    another: 'id = gen_random_uuid()',
    begins: "state = 'unconfirmed', last_step = null",
  },
  // Under an id of its own it is the same code.
  recovery_codes: {
    where: `id = '${CODE.active}'`,
    another: "code_hash = '\\xc0de99'",
    begins: 'id = gen_random_uuid()',
  },
};

const keptAndDeleted = (table: string, { where, begins }: Deletion, before: readonly string[] = []) => [
  `create temp table kept on commit drop as select * from ${table} where ${where}`,
  ...(begins === undefined ? [] : [`update kept set ${begins}`]),
  ...before,
  `delete from ${table} where ${where} returning 1`,
];
const back = (table: string) => `insert into ${table} select * from kept returning 1`;

const deletionCases = Object.entries(DELETED).flatMap(([table, deletion]) => {
  const deleted = keptAndDeleted(table, deletion);
  return [
    refused(`${table}_begins_once`, `${table}: a deleted row comes back`, ...deleted, back(table)),
    allowed(`${table}: a row of its own begins`, ...deleted, `update kept set ${deletion.another}`, back(table)),
  ];
});

const session = { where: `sid = '${SESSION.active}'`, another: '' };
const END = `update sessions set state = 'ended', ended_reason = 'signed_out', ends_at = now() - interval '1 s' where ${session.where}`;

const updateClient = updateOf('clients', 'client_id');

export const macVersionCases: readonly HeldCase[] = [
  ...macCases,
  allowed(
    'clients: both MACs come with a version',
    updateClient(CLIENT.another, "mac = '\\x01', token_mac = '\\x02', mac_version = 1"),
  ),
  refused(
    'clients_mac_moves_on',
    'clients: the MAC for token requests comes without a version',
    updateClient(CLIENT.another, "token_mac = '\\x01'"),
  ),
  ...deletionCases,
  // Its end was brought forward, and an image from before has the later one.
  refused(
    'sessions_begins_once',
    'sessions: one that was ended and deleted comes back',
    ...keptAndDeleted('sessions', session, [END]),
    back('sessions'),
  ),
  // No image of it has a later end, so no record is needed.
  allowed(
    'email_challenges: a link whose time is over comes back',
    `insert into email_challenges (id, purpose, state, secret_hash, person, address, created_at, ends_at)
      values ('00000000-0000-4000-8000-00000000005f', 'sign_up', 'active', '\\x11c0de5f', 'x', 'x@example.com', now(), now() - interval '1 s')`,
    ...keptAndDeleted('email_challenges', { where: "id = '00000000-0000-4000-8000-00000000005f'", another: '' }),
    back('email_challenges'),
  ),
  // A record is deleted once no image can count, and not before.
  allowed(
    'ended_rows: those that no image outlives make room',
    `insert into ended_rows values ('sessions', 'over', now() - interval '1 s'), ('sessions', 'kept', null),
      ('sessions', 'later', now() + interval '1 day')`,
    ...keptAndDeleted('sessions', session),
    `select 1 / (count(*) = 3 and not bool_or(key = 'over'))::int from ended_rows where relation = 'sessions'`,
  ),
  allowed(
    'ended_rows: what is remembered for long is not forgotten sooner',
    `insert into ended_rows values ('sessions', '${SESSION.active}', null), ('email_challenges', '${LINK.active}', now() + interval '1 year')`,
    ...keptAndDeleted('sessions', session),
    `delete from email_challenges where id = '${LINK.active}'`,
    `select 1 / (count(*) = 2)::int from ended_rows where key in ('${SESSION.active}', '${LINK.active}')
      and (forget_at is null or forget_at > now() + interval '300 days')`,
  ),
];
