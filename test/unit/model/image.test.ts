/** The type of an image, by its first bytes. */
import { expect, test } from 'vitest';
import { isSvg, isWoff2, rasterTypeOf } from '../../../src/model/image.ts';

const bytesOf = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

test.each([
  ['\x89PNG\r\n\x1a\n and more', 'image/png'],
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\x89PNG\r\n\x1a', null],
  [' \x89PNG\r\n\x1a\n', null],
  ['\xff\xd8\xff\xe0', 'image/jpeg'],
  ['\xff\xd8', null],
  ['RIFF....WEBPVP8 ', 'image/webp'],
  ['RIFF....WAVEfmt ', null],
  ['....WEBP', null],
  ['XXXX....WEBP', null],
  ['GIF87a..', 'image/gif'],
  ['GIF89a..', 'image/gif'],
  ['GIF88a..', null],
  ['<svg xmlns="http://www.w3.org/2000/svg"/>', null],
  ['', null],
])('%j is %s', (text, type) => {
  expect(rasterTypeOf(bytesOf(text))).toBe(type);
});

test.each([
  ['<svg>', true],
  ['<svg xmlns="http://www.w3.org/2000/svg"/>', true],
  ['<SVG\n>', true],
  ['\uFEFF<svg>', true],
  [' \n\t<svg>', true],
  ['<?xml version="1.0"?><svg>', true],
  ['<?xml version="1.0"?>\n\n<!-- drawn\nby hand --> \n <!DOCTYPE svg>\n<svg>', true],
  ['<!----><svg>', true],
  ['<!-- one --><!-- two --><svg>', true],
  ['<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/svg11.dtd"><svg>', true],
  ['<svgs>', false],
  ['<svg', false],
  ['text <svg>', false],
  ['<html><svg>', false],
  ['<!-- open <svg>', false],
  ['<!-- --> text <svg>', false],
  ['<?xml version="1.0"?> text <svg>', false],
  ['<!DOCTYPE svg [<!ENTITY a "b">]><svg>', false],
  ['', false],
])('%j is an SVG: %s', (text, is) => {
  expect(isSvg(Buffer.from(text))).toBe(is);
});

test('the root element of an SVG begins within the first four kibibytes', () => {
  const after = (spaces: number) => isSvg(Buffer.from(`${' '.repeat(spaces)}<svg>`));
  expect(after(4091)).toBe(true);
  expect(after(4092)).toBe(false);
});

test('a WOFF2 font has its signature', () => {
  expect(isWoff2(bytesOf('wOF2....'))).toBe(true);
  expect(isWoff2(bytesOf('wOFF....'))).toBe(false);
  expect(isWoff2(bytesOf('.wOF2'))).toBe(false);
});
