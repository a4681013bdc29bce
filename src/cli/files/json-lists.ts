/** The records of lists in a JSON document, one after another. */
import { JSONParser } from '@streamparser/json';
import { CommandRefused } from '../failure.ts';
import type { TextFile } from './chunks.ts';

export type ListRecord = { readonly list: string; readonly value: unknown };

/**
 * @param paths such as `$.users.*`. @param members of the document itself: each is a record of its own, `{ [name]: value }`. @throws
 * CommandRefused
 */
export async function* listRecords(
  { source, read }: TextFile,
  paths: readonly string[],
  members: readonly string[] = [],
): AsyncGenerator<ListRecord> {
  const parser = new JSONParser({ paths: [...paths, ...members.map((name) => `$.${name}`)], keepStack: false });
  let found: ListRecord[] = [];
  let line = 1;
  parser.onValue = ({ key, value, stack }) => {
    if (stack.length === 1 && typeof key === 'string' && members.includes(key)) {
      found.push({ list: '', value: { [key]: value } });
      return;
    }
    const names = stack.map(({ key }) => key).filter((key) => typeof key === 'string');
    found.push({ list: names.at(-1) ?? '', value });
  };
  let isBroken = false;
  parser.onError = () => {
    isBroken = true;
  };
  for await (const chunk of read()) {
    parser.write(chunk);
    if (isBroken) throw brokenAt(source, line);
    yield* found;
    found = [];
    line += chunk.split('\n').length - 1;
  }
  if (!parser.isEnded) throw new CommandRefused(`${source} is not JSON: it ends too early, at line ${line}.`);
}

/** The messages of the parser quote the document, which may contain secrets. */
const brokenAt = (source: string, line: number) =>
  new CommandRefused(`${source} is not JSON: it breaks at line ${line} or some lines later.`);
