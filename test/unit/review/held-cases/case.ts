/** One case, and the words to write it: `allowed` and `refused`, an UPDATE of one row, an INSERT that starts from a row. */

export type HeldCase = {
  readonly what: string;
  /** The last statement is tried; those before it must be allowed. With `returning` it must concern at least one row. */
  readonly statements: readonly string[];
  /** The rule that refuses; null: the statement is allowed. */
  readonly refusedBy: string | null;
};

export const allowed = (what: string, ...statements: readonly string[]): HeldCase => ({
  what,
  statements,
  refusedBy: null,
});

export const refused = (refusedBy: string, what: string, ...statements: readonly string[]): HeldCase => ({
  what,
  statements,
  refusedBy,
});

/** As Postgres names them. */
export type Column = { readonly table: string; readonly name: string; readonly type: string };

/** @returns an UPDATE of the row with this key. */
export const updateOf = (table: string, key: string) => (row: string, set: string) =>
  `update ${table} set ${set} where ${key} = '${row}' returning 1`;

export const updateGrant = updateOf('grants', 'id');
export const updateInteraction = updateOf('interactions', 'id');
export const updateKey = updateOf('signing_keys', 'kid');
export const updateLink = updateOf('email_challenges', 'id');
export const updateSession = updateOf('sessions', 'sid');

type Copy = {
  readonly table: string;
  /** Chooses the row to start from. */
  readonly where: string;
  /** Are taken from that row. */
  readonly columns: string;
  /** SQL by column: for the others. */
  readonly values: Readonly<Record<string, string>>;
  /** The rest of the statement, such as ON CONFLICT. */
  readonly tail?: string;
};

export function insertCopy({ table, where, columns, values, tail = '' }: Copy): string {
  const [names, expressions] = [Object.keys(values).join(', '), Object.values(values).join(', ')];
  return `insert into ${table} (${names}, ${columns}) select ${expressions}, ${columns} from ${table} where ${where} ${tail} returning 1`;
}
