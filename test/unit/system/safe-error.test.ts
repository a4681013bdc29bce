/** An error in the log: its type, code and frames, and no text that could hold a secret. */
import { describe, expect, test } from 'vitest';
import { InvariantViolation, StoreUnavailable, Unavailable } from '../../../src/engine/errors.ts';
import { safeError } from '../../../src/system/safe-error.ts';

const SECRET = 's3cret';
const errorWith = (members: object, message = `the parameters are ${SECRET}`) =>
  Object.assign(new Error(message), members);

describe('an error of a package', () => {
  test('loses its message, also as it stands in the stack', () => {
    const logged = safeError(
      errorWith({ stack: `Error: a\n    ${SECRET}\n  at ${SECRET}\nat ${SECRET}\n    at f (a.js:1:2)\n  at g` }),
    );
    expect(logged).toEqual({ type: 'Error', stack: `at ${SECRET}\nat f (a.js:1:2)\nat g` });
  });

  test('keeps its frames alone', () => {
    const logged = safeError(new TypeError(SECRET));
    expect(logged.type).toBe('TypeError');
    expect(logged.stack).toMatch(/^at .*safe-error\.test\.ts/);
    expect(JSON.stringify(logged)).not.toContain(SECRET);
  });

  test('without frames has no stack', () => {
    expect(safeError(errorWith({ stack: `Error: ${SECRET}` }))).toEqual({ type: 'Error' });
    expect(safeError(errorWith({ stack: undefined }))).toEqual({ type: 'Error' });
  });

  test.each(['code', 'constraint', 'table'])('keeps %s where it is a name', (member) => {
    const logged = (value: unknown) => safeError(errorWith({ stack: '', [member]: value }));
    expect(logged('a_name:1.2-3')).toEqual({ type: 'Error', [member]: 'a_name:1.2-3' });
    for (const other of [`${SECRET} text`, '', 'a'.repeat(81), 7, null, { name: SECRET }, `x\n${SECRET}`])
      expect(logged(other)).toEqual({ type: 'Error' });
    expect(logged('a'.repeat(80))).toEqual({ type: 'Error', [member]: 'a'.repeat(80) });
  });

  test('has its causes in the same form', () => {
    const cause = errorWith({ stack: '', code: '23505', detail: SECRET, cause: SECRET });
    expect(safeError(errorWith({ stack: '', cause }))).toEqual({
      type: 'Error',
      cause: { type: 'Error', code: '23505', cause: { type: 'string' } },
    });
  });
});

test.each([
  [new InvariantViolation('the row vanished'), 'the row vanished'],
  [new Unavailable('commit_unknown'), new Unavailable('commit_unknown').message],
  [new StoreUnavailable(false), new StoreUnavailable(false).message],
])('%s keeps its message, which the server wrote', (error, message) => {
  expect(safeError(error)).toMatchObject({ type: error.name, message });
});

test.each([
  [SECRET, 'string'],
  [null, 'object'],
  [undefined, 'undefined'],
  [{ message: SECRET }, 'object'],
])('anything but an error has its type alone', (thrown, type) => {
  expect(safeError(thrown)).toEqual({ type });
});
