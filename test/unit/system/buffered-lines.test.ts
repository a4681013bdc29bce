/** Log lines in blocks: the lines that wait, and those that do not. */
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bufferedLines } from '../../../src/system/buffered-lines.ts';

let writes: string[];
let logger: pino.Logger;
beforeEach(() => {
  vi.useFakeTimers();
  writes = [];
  logger = pino({ base: null, timestamp: false }, bufferedLines({ write: (text) => void writes.push(text) }));
});
afterEach(() => {
  vi.useRealTimers();
});

const messagesIn = (text = ''): string[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).msg);

describe('a log line', () => {
  it('waits 100 ms for others, and goes out with them in their order', () => {
    logger.info('first');
    vi.advanceTimersByTime(99);
    logger.child({ reqId: 1 }).info('second');
    expect(writes).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(writes.map(messagesIn)).toEqual([['first', 'second']]);
    vi.advanceTimersByTime(1000);
    expect(writes).toHaveLength(1);
  });

  it('never waits for more than 16 KB', () => {
    const long = 'x'.repeat(4000);
    for (let count = 0; count < 9; count++) logger.info(long);
    expect(writes.map((text) => messagesIn(text).length)).toEqual([4, 4]);
    expect(Math.max(...writes.map(({ length }) => length))).toBeLessThanOrEqual(16 * 1024);
  });

  it.each(['warn', 'error', 'fatal'] as const)(
    'of level %s goes out immediately, behind the lines before it',
    (level) => {
      logger.info('before');
      logger[level]('now');
      expect(writes.map(messagesIn)).toEqual([['before', 'now']]);
      logger.info('after');
      expect(writes).toHaveLength(1);
    },
  );
});
