/** Every page shows its owner: name, logo, colours, links; and an icon, also without branding. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Branding, COLORS, NO_BRANDING } from '../../../src/config/branding.ts';
import { makeBrand } from '../../../src/http/brand.ts';
import { STYLE } from '../../../src/http/views/page.ts';
import type { FontFile, Image } from '../../../src/model/image.ts';
import { openTestApp, shippedConfiguration, type TestApp, type TestAppOptions } from '../../support/app.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { policyWithoutScripts } from '../../support/page-policy.ts';

const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const image = (text: string, type: Image['type']): Image => ({
  hash: createHash('sha256').update(text).digest('base64url'),
  type,
  bytes: Buffer.from(text),
});
const logo = image(svg, 'image/svg+xml');
const favicon = image('\x89PNG\r\n\x1a\n', 'image/png');
const branding: Branding = {
  ...NO_BRANDING,
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
      // The root page has the name as its heading.
      const name = url === '/' ? '' : '\n<span>Müller &#38; &#60;Söhne&#62;</span>';
      expect(body).toContain(
        `<header class="brand"><img src="/images/${logo.hash}" alt="" height="40">${name}</header>`,
      );
      expect(body).toContain(`<link rel="icon" href="/images/${favicon.hash}">`);
      expect(body).toContain('Müller &#38; &#60;Söhne&#62;</title>');
      expect(body).toContain('<a href="mailto:help@example.com">Help</a>');
      expect(body).toContain('https://example.com/privacy?a&#61;1&#38;b&#61;&#34;');
      expect(body).toContain('Main Street 1, &#60;Town&#62;');
      expect(body).not.toContain('Terms of service');
      const styles = [...body.matchAll(/<style>(.*?)<\/style>/gs)].map(([, style = '']) => style);
      const hashes = styles.map((style) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`);
      expect(styles[1]).toContain('--accent:#7a1fa2');
      expect(policyWithoutScripts({ headers, body })).toBe(
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

  describe('with a wordmark, a font, corners and a background', () => {
    const [light, dark] = [image('light', 'image/png'), image('dark', 'image/png')];
    const font = (text: string): FontFile => ({ ...image(text, 'image/png'), type: 'font/woff2' });
    const [regular, bold] = [font('wOF2 regular'), font('wOF2 bold')];
    const whole: Branding = {
      ...branding,
      logo: null,
      wordmark: { light, dark },
      font: { regular, bold },
      cornerRadius: 0,
      background: { light: '#fff7e6', dark: '#0d1117' },
    };
    const dressed: TestAppOptions = { configuration: { ...shippedConfiguration, branding: whole } };

    it('shows the wordmark in place of logo and name', () =>
      within(dressed, async (app) => {
        const { body } = await app.inject({ url: '/sign-in', headers: ASKING });
        expect(body).toContain(
          `<picture><source srcset="/images/${dark.hash}" media="(prefers-color-scheme: dark)"><img src="/images/${light.hash}" alt="Müller &#38; &#60;Söhne&#62;" height="40"></picture>`,
        );
        expect(body).not.toContain('<span>Müller');
        for (const { hash } of [light, dark]) expect((await app.inject(`/images/${hash}`)).statusCode).toBe(200);
      }));

    it('has its own style, which the policy names, and fonts from this server alone', () =>
      within(dressed, async (app) => {
        const { body, headers } = await app.inject({ url: '/nowhere', headers: ASKING });
        const [, , style = ''] = body.split('<style>').map((part) => part.split('</style>')[0]);
        expect(style).toBe(
          `@font-face{font-family:brand;font-weight:400;font-display:swap;src:url(/fonts/${regular.hash}) format("woff2")}` +
            `@font-face{font-family:brand;font-weight:600;font-display:swap;src:url(/fonts/${bold.hash}) format("woff2")}` +
            ':root{--accent:#7a1fa2;--page:#fff7e6;--font:brand,var(--system-font);--radius:0px}' +
            '@media (prefers-color-scheme:dark){:root{--accent:#e0b0ff;--page:#0d1117}}',
        );
        const policy = String(headers['content-security-policy']);
        expect(policy).toContain(`'sha256-${createHash('sha256').update(style).digest('base64')}'`);
        expect(policy).toContain("; font-src 'self';");
      }));

    it('serves the fonts permanently, and no others', () =>
      within(dressed, async (app) => {
        const answer = await app.inject(`/fonts/${bold.hash}`);
        expect(answer.statusCode).toBe(200);
        expect(answer.headers).toMatchObject({
          'content-type': 'font/woff2',
          'cache-control': 'public, max-age=31536000, immutable',
        });
        expect(answer.rawPayload.equals(Buffer.from(bold.bytes))).toBe(true);
        for (const other of [light.hash, 'x', 'A'.repeat(43)]) {
          expect((await app.inject(`/fonts/${other}`)).statusCode).toBe(404);
        }
      }));

    it('each part stands alone', () => {
      const styleOf = (part: Partial<Branding>) =>
        makeBrand({ ...NO_BRANDING, ...part }, 'https://as.test').brand.style;
      expect(styleOf({ cornerRadius: 12 })).toBe(':root{--radius:12px}');
      expect(styleOf({ background: { light: '#ffffff', dark: '#000000' } })).toBe(
        ':root{--page:#ffffff}@media (prefers-color-scheme:dark){:root{--page:#000000}}',
      );
      expect(styleOf({ font: { regular, bold: null } })).toMatch(/^@font-face\{[^}]*\}:root\{--font:brand,[^}]*\}$/);
      expect(makeBrand(NO_BRANDING, 'https://as.test').policy).not.toContain('font-src');
    });
  });

  it('has colours that are measured against those of the pages', () => {
    const parts = STYLE.split('prefers-color-scheme: dark');
    for (const [index, colors] of [COLORS.light, COLORS.dark].entries()) {
      for (const [name, color] of Object.entries(colors)) expect(parts[index]).toContain(`--${name}: ${color};`);
    }
  });
});
