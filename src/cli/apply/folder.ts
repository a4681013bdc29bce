/** The folder of `statehouse apply`: files in YAML or JSON with the clients and end-users that the server should have. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { clientRecordSchema } from '../../../policies/client-schema.ts';
import { describeProblem, type Problem } from '../../config/problem.ts';
import { printable } from '../../config/shown.ts';
import { readText } from '../../config/text-file.ts';
import { readYaml } from '../../config/yaml-file.ts';
import { CommandRefused } from '../failure.ts';

const absent = z.literal(true).optional().describe('The server should not have it: it is deleted.');

const client = z.strictObject({
  ...clientRecordSchema.omit({ client_secret: true }).shape,
  client_id: z.string(),
  absent,
});
const user = z.strictObject({
  username: z.string().min(1).max(256),
  sub: z.string().optional(),
  claims: z.record(z.string(), z.unknown()).optional(),
  disabled: z.boolean().optional(),
  absent,
});
const fileSchema = z.strictObject({ clients: z.array(client).optional(), users: z.array(user).optional() });

/** As written: a default of the server is the server's to give. */
type Declared = z.input<typeof client>;
type DeclaredUser = z.input<typeof user>;
/** `file`: where the record stands. */
export type Wanted =
  | { readonly kind: 'client'; readonly file: string; readonly name: string; readonly record: Declared }
  | { readonly kind: 'user'; readonly file: string; readonly name: string; readonly record: DeclaredUser };

/** @returns clients first, in the order of the files' names. @throws CommandRefused with everything that is wrong with the files. */
export function readFolder(folder: string): readonly Wanted[] {
  const files = filesIn(folder);
  if (files.length === 0) {
    throw new CommandRefused(`${printable(folder)} has no file that ends in .yaml, .yml or .json.`);
  }
  const problems: Problem[] = [];
  const wanted: Wanted[] = [];
  for (const file of files) {
    const read = readYaml(file, readText(join(folder, file)), fileSchema);
    if (!read.ok) {
      problems.push(...read.problems);
      continue;
    }
    const { clients = [], users = [] } = read.written;
    wanted.push(
      ...clients.map((record) => ({ kind: 'client', file, name: record.client_id, record }) as const),
      ...users.map((record) => ({ kind: 'user', file, name: record.username, record }) as const),
    );
  }
  const lines = [...problems.map((one) => describeProblem(one)), ...repeated(wanted)];
  if (lines.length > 0)
    throw new CommandRefused(
      `The folder is refused; nothing was changed.\n${lines.map((line) => `  ${line}`).join('\n')}`,
    );
  return [...wanted.filter(({ kind }) => kind === 'client'), ...wanted.filter(({ kind }) => kind === 'user')];
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(ya?ml|json)$/.test(file) && statSync(join(folder, file)).isFile())
      .toSorted();
  } catch {
    throw new CommandRefused(`${printable(folder)} cannot be read: expected a folder.`);
  }
}

function repeated(wanted: readonly Wanted[]): readonly string[] {
  const seen = new Map<string, string>();
  return wanted.flatMap(({ kind, name, file }) => {
    const before = seen.get(`${kind} ${name}`);
    seen.set(`${kind} ${name}`, file);
    return before === undefined ? [] : [`${file}: the ${kind} "${printable(name)}" is in ${before} too.`];
  });
}
