/** The text of a page. */
import { expect } from 'vitest';

/** The texts of headings and paragraphs, in order, without markup. Fails where one has no words. */
export function wordsOf(html: string): readonly string[] {
  const body = html.replace(/^.*<body>/s, '');
  const words = [...body.matchAll(/<(h1|p|dt|a|button)\b[^>]*>(.*?)<\/\1>/gs)].map(([, , text = '']) =>
    text.replace(/<[^>]*>/g, '').trim(),
  );
  for (const text of [...words, ...body.matchAll(/<title>(.*?)<\/title>/gs)].flat()) {
    expect(text).toMatch(/\w/);
    expect(text).not.toMatch(/undefined|\[object/);
  }
  return words;
}
