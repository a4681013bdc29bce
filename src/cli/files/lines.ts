/** Lines of a text that comes in parts. A line that is too long for a record is skipped, and never in memory as a whole. */

/** Far more than a record needs. */
export const MAX_RECORD_CHARACTERS = 1024 * 1024;

/** `text` null: it is longer than a record can be. */
export type Line = { readonly line: number; readonly text: string | null };

/** Without the empty ones; counted from 1. */
export async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<Line> {
  let line = 1;
  let rest = '';
  let isTooLong = false;
  for await (const chunk of chunks) {
    const parts = chunk.split('\n');
    for (const [place, part] of parts.entries()) {
      if (place > 0) {
        if (isTooLong) yield { line, text: null };
        else if (rest.trim() !== '') yield { line, text: rest.trim() };
        line += 1;
        rest = '';
        isTooLong = false;
      }
      if (isTooLong) continue;
      rest += part;
      if (rest.length > MAX_RECORD_CHARACTERS) [rest, isTooLong] = ['', true];
    }
  }
  if (isTooLong) yield { line, text: null };
  else if (rest.trim() !== '') yield { line, text: rest.trim() };
}

export const TOO_LONG = `Expected a record of at most ${MAX_RECORD_CHARACTERS} characters, found a longer one.`;
export const NOT_JSON = 'Expected a JSON object, found a line that is not JSON.';
