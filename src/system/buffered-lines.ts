/**
 * Log lines in blocks, since a write for each line was a seventh of a rotation's CPU. A line waits 100 ms at most. A
 * warning, and any line above, goes out immediately, behind the lines before it. The exit of the process writes the
 * rest, also after an uncaught error. Only an end without JavaScript (SIGKILL, SIGSEGV, no memory) loses lines: those of
 * the last 100 ms, and never a warning.
 */
import { type DestinationStream, pino } from 'pino';

const MOST_CHARACTERS = 16 * 1024;
const LONGEST_MILLISECONDS = 100;

/** pino sets the level before it writes a line, and calls `flushSync` after a fatal one. */
export type BufferedLines = DestinationStream & { lastLevel: number; readonly flushSync: () => void };

export function bufferedLines(destination: DestinationStream): BufferedLines {
  let block = '';
  let timer: NodeJS.Timeout | null = null;
  const flushSync = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const lines = block;
    block = '';
    if (lines !== '') destination.write(lines);
  };
  // Before pino's own listeners, which close the destination of a process that ends by itself.
  process.prependListener('beforeExit', flushSync);
  process.prependListener('exit', flushSync);
  const buffered = {
    [pino.symbols.needsMetadataGsym]: true,
    lastLevel: 0,
    write: (line: string) => {
      if (block.length + line.length > MOST_CHARACTERS) flushSync();
      block += line;
      if (buffered.lastLevel >= WARN) flushSync();
      else timer ??= setTimeout(flushSync, LONGEST_MILLISECONDS).unref();
    },
    flushSync,
  };
  return buffered;
}

const WARN = pino.levels.values['warn'] ?? 0;
