import { expect, it } from 'vitest';
import { isStorable, jsonIn } from '../../../src/oauth/sent-text.ts';
import { isSetUpSecret } from '../../../src/oauth/set-up-secret.ts';
import { uiLocalesIn, uiLocalesParameter } from '../../../src/oauth/ui-locales.ts';

it.each([
  ['', true],
  ['a', true],
  ['😀', true],
  ['\0', false],
  ['a\0b', false],
  ['\ud83d', false],
])('a text %j is storable: %j', (text, expected) => {
  expect(isStorable(text)).toBe(expected);
});

it('JSON is read, and another text is undefined', () => {
  expect(jsonIn('{"a":[1,null]}')).toEqual({ a: [1, null] });
  expect(jsonIn('null')).toBeNull();
  for (const text of ['', '{', 'undefined']) expect(jsonIn(text)).toBeUndefined();
});

it.each([
  ['a'.repeat(43), true],
  ['Az09-_'.repeat(8), true],
  ['a'.repeat(256), true],
  ['a'.repeat(42), false],
  ['a'.repeat(257), false],
  [`${'a'.repeat(43)} `, false],
  [`+${'a'.repeat(43)}`, false],
])('the secret of a set-up link: %j is one: %j', (text, expected) => {
  expect(isSetUpSecret(text)).toBe(expected);
});

it.each([
  ['', []],
  ['other=de', []],
  ['ui_locales=de', ['de']],
  ['ui_locales=de-AT%20fr%20zh-Hans-CN', ['de-AT', 'fr', 'zh-Hans-CN']],
  ['ui_locales=%20de%20%20fr%20', ['de', 'fr']],
  ['ui_locales=x%20de_AT%20abcdefghi%20de-%20-de%20de-abcdefghi%20%2A%20en', ['en']],
  [
    `ui_locales=en${'-abcdefgh'.repeat(3)}-abcde%20en${'-abcdefgh'.repeat(3)}-abcdef`,
    [`en${'-abcdefgh'.repeat(3)}-abcde`],
  ],
  ['ui_locales=a1%20en-1', ['en-1']],
  ['ui_locales=aa%20ab%20ac%20ad%20ae%20af%20ag%20ah%20ai', ['aa', 'ab', 'ac', 'ad', 'ae', 'af', 'ag', 'ah']],
  ['ui_locales=de&ui_locales=fr', []],
])('ui_locales of %j are %j', (encoded, expected) => {
  expect(uiLocalesIn(encoded)).toEqual(expected);
});

it('ui_locales are a parameter, and none where there are no languages', () => {
  expect(uiLocalesParameter(['de', 'fr'])).toEqual({ ui_locales: 'de fr' });
  expect(uiLocalesParameter([])).toEqual({});
});
