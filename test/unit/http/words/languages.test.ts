import { describe, expect, it } from 'vitest';
import { chooseLanguage, languageOf } from '../../../../src/http/words/languages.ts';

describe('the language of a request', () => {
  it.each([
    ['what is there, as it was asked for', ['de'], { tag: 'de', locale: 'de' }],
    ['a region stays for dates', ['de-CH'], { tag: 'de', locale: 'de-CH' }],
    ['from its end, part by part', ['de-Latn-CH-1996'], { tag: 'de', locale: 'de-Latn-CH-1996' }],
    ['in any case of the letters', ['DE-at'], { tag: 'de', locale: 'de-AT' }],
    ['the first that is there', ['nl-BE', 'tlh', 'de', 'en'], { tag: 'de', locale: 'de' }],
    ['English of somewhere', ['en-US'], { tag: 'en', locale: 'en-US' }],
    ['English of nowhere: no month reads as a day', ['en'], { tag: 'en', locale: 'en-GB' }],
    ['anything goes', ['*', 'de'], { tag: 'en', locale: 'en-GB' }],
    ['none that is there', ['nl', 'tlh'], { tag: 'en', locale: 'en-GB' }],
    ['nothing', [], { tag: 'en', locale: 'en-GB' }],
    ['no tag at all', ['../../../etc/passwd', 'languages', '', 'de de', '\u0000'], { tag: 'en', locale: 'en-GB' }],
  ])('%s', (_, asked, chosen) => {
    expect(chooseLanguage(asked)).toEqual(chosen);
  });
  it.each([
    ['fr-CA', 'ltr'],
    ['es-MX', 'ltr'],
    ['ar-EG', 'rtl'],
  ])('%s is in its language, %s', async (asked, direction) => {
    const { tag, locale } = chooseLanguage([asked]);
    expect(locale).toBe(asked);
    expect(await languageOf(tag)).toMatchObject({ tag: asked.slice(0, 2), direction, problems: [] });
  });
  it('is loaded once', async () => {
    expect(await languageOf('de')).toBe(await languageOf('de'));
    expect(await languageOf('de')).toMatchObject({ tag: 'de', direction: 'ltr' });
  });
});
