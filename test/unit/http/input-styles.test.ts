/** Every field in which people type looks like one. */
import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const style = readFileSync('src/http/views/style.css', 'utf8');
const markup = globSync('src/http/views/**/*.ts').map((file) => readFileSync(file, 'utf8'));
const types = new Set(markup.flatMap((text) => [...text.matchAll(/<input type="(\w+)"/g)].map(([, type]) => type)));
types.delete('hidden');

it('every input is found in the views', () =>
  expect([...types]).toEqual(expect.arrayContaining(['text', 'password', 'email'])));

it.each([...types].map((type) => [type]))('%s', (type) => {
  expect(style).toContain(`input[type="${type}"]`);
});
