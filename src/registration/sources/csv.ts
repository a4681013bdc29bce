/** CSV, or any list of flat JSON objects: `--map` says which column becomes which member of our own format. */
import { STANDARD_CLAIMS } from '../../oauth/claims.ts';
import { linked, userOf } from './draft.ts';
import {
  type Adapter,
  type Converted,
  type JsonObject,
  type Source,
  type SourceOptions,
  SourceRefused,
} from './source.ts';
import { flagIn, instantIn, textIn, totpIn } from './values.ts';

export const csv: Source = {
  name: 'csv',
  system: 'any other',
  file: 'CSV with a header; --map column=member for columns with other names than ours',
  brings: 'every member of our own format that has a column',
  reference: 'https://www.rfc-editor.org/rfc/rfc4180',
  open,
};

const OWN = ['username', 'sub', 'password', 'password_hash', 'disabled', 'created_at', 'totp'];
const isMember = (name: string): boolean =>
  OWN.includes(name) || STANDARD_CLAIMS.includes(name) || /^(claims|identity)\../.test(name);

/** Left out on purpose: `--map column=-`. */
const NOTHING = '-';

function open(options: SourceOptions): Adapter {
  for (const [column, member] of options.columns)
    if (member !== NOTHING && !isMember(member))
      throw new SourceRefused(
        `--map ${column}=${member}: Expected one of ${[...OWN, ...STANDARD_CLAIMS].join(', ')}, claims.NAME, identity.PROVIDER, or "-" for none.`,
      );
  return { convert: ({ value }) => convert(options, value) };
}

const FLAGS = ['email_verified', 'phone_number_verified', 'disabled'];

function convert(options: SourceOptions, row: JsonObject): Converted {
  const leftOut: string[] = [];
  const members = new Map<string, unknown>();
  for (const [column, value] of Object.entries(row)) {
    if (textIn(value) === undefined && typeof value !== 'boolean') continue;
    const member = options.columns.get(column) ?? (isMember(column) ? column : null);
    if (member === null) leftOut.push(`column ${JSON.stringify(column.slice(0, 60))}: add --map for it`);
    else if (member !== NOTHING) members.set(member, FLAGS.includes(member) ? flagIn(value) : value);
  }
  const texts = (name: string) => textIn(members.get(name));
  const named = (prefix: string) =>
    [...members]
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, value]) => [name.slice(prefix.length), value] as const);
  const links = linked(
    options,
    named('identity.').map(([provider, value]) => ({ provider, sub: textIn(value) })),
  );
  const totp = totpIn(texts('totp'));
  const converted = userOf(
    options,
    {
      sub: texts('sub'),
      username: texts('username') ?? texts('email') ?? texts('phone_number'),
      passwordHash: texts('password_hash'),
      disabled: members.get('disabled') === true,
      createdAt: instantIn(members.get('created_at')),
      identities: links.identities,
      totp: totp === undefined ? [] : [totp],
      claims: Object.fromEntries(STANDARD_CLAIMS.map((name) => [name, members.get(name)])),
      custom: Object.fromEntries(named('claims.')),
    },
    [...links.leftOut, ...leftOut],
  );
  const password = texts('password');
  if (converted.kind !== 'user' || password === undefined || texts('password_hash') !== undefined) return converted;
  const { without_password: _, ...record } = converted.record;
  return { ...converted, record: { ...record, password } };
}
