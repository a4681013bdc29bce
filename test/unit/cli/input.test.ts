/** Prompts at a terminal, with another keyboard and another screen. */
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { CommandRefused } from '../../../src/cli/failure.ts';
import { ask, askUnseen } from '../../../src/cli/input.ts';

function terminal() {
  const keyboard = new PassThrough();
  const screen = new PassThrough().setEncoding('utf8');
  return { keyboard, screen, shown: () => String(screen.read() ?? '') };
}

describe('a secret', () => {
  it('is not shown during input, and is accepted verbatim', async () => {
    const { shown, ...given } = terminal();
    const answer = askUnseen('Password: ', given);
    given.keyboard.write(' pä\u{1f511}ss wort \r');
    expect(await answer).toBe(' pä\u{1f511}ss wort ');
    expect(shown()).toBe('Password: \n');
  });

  it('can be requested twice', async () => {
    const { shown, ...given } = terminal();
    for (const typed of ['one', 'another']) {
      const answer = askUnseen('Password: ', given);
      given.keyboard.write(`${typed}\r`);
      expect(await answer).toBe(typed);
    }
    expect(shown()).toBe('Password: \nPassword: \n');
  });
});

describe.each([
  ['a secret', askUnseen],
  ['a question', ask],
])('%s', (_, asking) => {
  it.each([
    ['Ctrl-C', '\x03'],
    ['Ctrl-D', '\x04'],
  ])('is rejected by %s', async (_key, typed) => {
    const { keyboard, screen } = terminal();
    const answer = asking('Well? ', { keyboard, screen });
    keyboard.write(typed);
    await expect(answer).rejects.toThrow(CommandRefused);
  });

  it('is rejected when the terminal is closed', async () => {
    const { keyboard, screen } = terminal();
    const answer = asking('Well? ', { keyboard, screen });
    keyboard.end();
    await expect(answer).rejects.toThrow(CommandRefused);
  });
});

it('a question shows the typed answer', async () => {
  const { shown, ...given } = terminal();
  const answer = ask('Go on? [y/N] ', given);
  given.keyboard.write('yes\r');
  expect(await answer).toBe('yes');
  expect(shown()).toMatch(/Go on\? \[y\/N\] .*yes/s);
});
