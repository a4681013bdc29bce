/** RFC 6749 §2.3.1, RFC 7617: the possible readings of a Basic header. */
import { describe, expect, it } from 'vitest';
import { parseBasic } from '../../../src/oauth/basic-auth.ts';

const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');
const basic = (text: string | Buffer) => `Basic ${base64(text)}`;

describe('a Basic header', () => {
  it.each([
    ['id:secret', 'id', 'secret'],
    ['id:', 'id', ''],
    [':secret', '', 'secret'],
    [':', '', ''],
    // RFC 7617 §2: the first colon separates.
    ['id:se:cr:et', 'id', 'se:cr:et'],
    ['grün:schlüssel', 'grün', 'schlüssel'],
    ['\ufeffid:secret', '\ufeffid', 'secret'],
    ['id :secret ', 'id ', 'secret '],
  ])('of %j has one reading', (text, clientId, clientSecret) => {
    expect(parseBasic(basic(text))).toEqual([{ clientId, clientSecret }]);
  });

  it.each([
    ['a%3Ab:c', { clientId: 'a:b', clientSecret: 'c' }, { clientId: 'a%3Ab', clientSecret: 'c' }],
    ['a:b+c', { clientId: 'a', clientSecret: 'b c' }, { clientId: 'a', clientSecret: 'b+c' }],
    ['a:%C3%BC', { clientId: 'a', clientSecret: 'ü' }, { clientId: 'a', clientSecret: '%C3%BC' }],
    ['a+b:c', { clientId: 'a b', clientSecret: 'c' }, { clientId: 'a+b', clientSecret: 'c' }],
  ])('of %j is read as the standard says, then verbatim', (text, standard, plain) => {
    expect(parseBasic(basic(text))).toEqual([standard, plain]);
  });

  it.each(['100%:secret', 'id:100%', 'id:%ff', '%ff:secret', 'id:a%00', 'a%00:secret'])(
    'of %j, which is invalid in form-urlencoding, is read verbatim',
    (text) => {
      const [clientId = '', clientSecret = ''] = text.split(':');
      expect(parseBasic(basic(text))).toEqual([{ clientId, clientSecret }]);
    },
  );

  it.each([
    `basic ${base64('id:secret')}`,
    `BASIC ${base64('id:secret')}`,
    `Basic   ${base64('id:secret')}`,
    `Basic ${base64('id:secret').replace(/=+$/, '')}`,
  ])('may be written %j', (header) => {
    expect(parseBasic(header)).toEqual([{ clientId: 'id', clientSecret: 'secret' }]);
  });

  it('may be in either alphabet of base64', () => {
    const text = 'id:\u00fb\u00ff\u00ff~~~???';
    expect(base64(text)).toMatch(/[+/]/);
    const [plain] = parseBasic(basic(text)) ?? [];
    expect(plain?.clientSecret).toBe('\u00fb\u00ff\u00ff~~~???');
    expect(parseBasic(`Basic ${base64(text).replaceAll('+', '-').replaceAll('/', '_')}`)).toEqual(
      parseBasic(basic(text)),
    );
  });

  it.each([
    ['empty', ''],
    ['the scheme alone', 'Basic'],
    ['the scheme and a blank', 'Basic '],
    ['without a blank', `Basic${base64('id:secret')}`],
    ['another scheme', `Bearer ${base64('id:secret')}`],
    ['a scheme that ends so', `XBasic ${base64('id:secret')}`],
    ['two values', `${basic('id:secret')} ${base64('id:secret')}`],
    ['three signs of padding', 'Basic aWQ6===='],
    ['padding alone', 'Basic =='],
    ['not base64', 'Basic id:secret'],
    ['a line break behind it', `${basic('id:secret')}\n`],
    ['no colon', basic('idsecret')],
    ['not UTF-8', basic(Buffer.from([0x69, 0x64, 0x3a, 0xff]))],
    ['U+0000 in the id', basic('i\0d:secret')],
    ['U+0000 in the secret', basic('id:sec\0ret')],
  ])('that is %s is rejected', (_, header) => {
    expect(parseBasic(header)).toBeNull();
  });
});
