/** Every page shows its owner: name, logo, colours, links; and an icon, also without branding. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Branding, DARK, LIGHT } from '../../../src/config/branding.ts';
import { STYLE } from '../../../src/http/views/page.ts';
import type { Image } from '../../../src/model/image.ts';
import { openTestApp, shippedConfiguration, type TestApp, type TestAppOptions } from '../../support/app.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';

const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const image = (text: string, type: Image['type']): Image => ({
  hash: createHash('sha256').update(text).digest('base64url'),
  type,
  bytes: Buffer.from(text),
});
const logo = image(svg, 'image/svg+xml');
const favicon = image('\x89PNG\r\n\x1a\n', 'image/png');
const branding: Branding = {
  organization: 'Müller & <Söhne>',
  logo,
  favicon,
  accentColor: { light: '#7a1fa2', dark: '#e0b0ff' },
  links: { help: 'mailto:help@example.com', privacy: 'https://example.com/privacy?a=1&b="' },
  footer: 'Main Street 1, <Town>',
};
const PAGES = ['/', '/sign-in', '/oauth/logout', '/oauth/authorize?client_id=none', '/nowhere', '/interactions/x'];
const ASKING = { accept: 'text/html', host: 'as.test' };

describe('the branding', () => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await openTestDatabase(anyDatabase);
  });
  afterAll(() => opened.close());
  async function within(options: TestAppOptions, test: (app: TestApp['app']) => Promise<void>): Promise<void> {
    const { app } = await openTestApp(opened.database, options);
    await test(app).finally(() => app.close());
  }
  const branded: TestAppOptions = { configuration: { ...shippedConfiguration, branding } };

  it.each(PAGES)('is on %s', (url) =>
    within(branded, async (app) => {
      const { body, headers } = await app.inject({ url, headers: ASKING });
      expect(body).toContain(`src="/images/${logo.hash}"`);
      expect(body).toContain(`<link rel="icon" href="/images/${favicon.hash}">`);
      expect(body).toContain('Müller &#38; &#60;Söhne&#62;</title>');
      expect(body).toContain('<a href="mailto:help@example.com">Help</a>');
      expect(body).toContain('https://example.com/privacy?a&#61;1&#38;b&#61;&#34;');
      expect(body).toContain('Main Street 1, &#60;Town&#62;');
      expect(body).not.toContain('Terms of service');
      const styles = [...body.matchAll(/<style>(.*?)<\/style>/gs)].map(([, style = '']) => style);
      const hashes = styles.map((style) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`);
      expect(styles[1]).toContain('--accent:#7a1fa2');
      // The page with a passkey button has a script, too.
      expect(String(headers['content-security-policy']).replace(/; script-src 'sha256-[^' ]+'$/, '')).toBe(
        `default-src 'none'; style-src ${hashes.join(' ')}; img-src 'self'; base-uri 'none'; frame-ancestors 'none'`,
      );
    }),
  );

  it.each([logo, favicon])(
    'serves an image from this server, permanently and harmless: $type',
    ({ hash, type, bytes }) =>
      within(branded, async (app) => {
        const cookie = '__Host-statehouse-session=x';
        const answer = await app.inject({ url: `/images/${hash}`, headers: { cookie } });
        expect(answer.statusCode).toBe(200);
        expect(answer.rawPayload.equals(Buffer.from(bytes))).toBe(true);
        expect(answer.headers).toMatchObject({
          'content-type': type,
          'cache-control': 'public, max-age=31536000, immutable',
          'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'",
          'x-content-type-options': 'nosniff',
          'cross-origin-resource-policy': 'same-origin',
        });
        expect(answer.headers['set-cookie']).toBeUndefined();
      }),
  );

  it.each(['x', '..%2F..%2Fetc%2Fpasswd', `${'A'.repeat(42)}.`, 'A'.repeat(43)])('serves no image %s', (name) =>
    within(branded, async (app) => {
      expect((await app.inject(`/images/${name}`)).statusCode).toBe(404);
    }),
  );

  it('has an icon without any, and no header or footer', () =>
    within({}, async (app) => {
      const { body } = await app.inject({ url: '/sign-in', headers: ASKING });
      expect(body).not.toMatch(/<header|<footer|<img/);
      const [, href = ''] = /<link rel="icon" href="([^"]*)">/.exec(body) ?? [];
      expect((await app.inject(href)).headers['content-type']).toBe('image/svg+xml');
      const favicon = await app.inject('/favicon.ico');
      expect(favicon.statusCode).toBe(200);
      expect(favicon.headers).toMatchObject({
        'content-type': 'image/svg+xml',
        'cache-control': 'public, max-age=86400',
      });
    }));

  it('names the owner on the root page', () =>
    within(branded, async (app) => {
      const { body } = await app.inject({ url: '/', headers: ASKING });
      expect(body).toContain('<h1>Müller &#38; &#60;Söhne&#62;</h1>');
      expect(body).toContain('This is where you sign in to <strong>Müller');
      expect(body).toContain('href="/.well-known/openid-configuration"');
    }));

  it('is under the path of the issuer', () =>
    within({ ...branded, issuer: 'https://as.test/login' }, async (app) => {
      const { body } = await app.inject({ url: '/login/sign-in', headers: ASKING });
      expect(body).toContain(`src="/login/images/${logo.hash}"`);
      expect((await app.inject(`/login/images/${logo.hash}`)).statusCode).toBe(200);
      expect((await app.inject('/login/favicon.ico')).statusCode).toBe(200);
    }));

  it('has colours that are measured against those of the pages', () => {
    const [light = '', dark = ''] = STYLE.split('prefers-color-scheme: dark');
    for (const color of LIGHT) expect(light).toMatch(new RegExp(`--(page|card): ${color};`));
    for (const color of DARK) expect(dark).toMatch(new RegExp(`--(page|card): ${color};`));
  });
});
