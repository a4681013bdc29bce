/** branding.yaml: images by their bytes, colours by their contrast; the error for a rejected value contains the measurement. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { traceOf } from '../../../src/boot/watch-folder.ts';
import { NO_BRANDING } from '../../../src/config/branding.ts';
import { changesBetween } from '../../../src/config/changes.ts';
import { loadConfiguration } from '../../../src/config/load.ts';

const SHIPPED = new URL('../../../policies', import.meta.url).pathname;
const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const WOFF2 = Buffer.from('wOF2', 'latin1');

describe('branding.yaml', () => {
  let folder: string;
  const write = (name: string, content: string | Buffer) => writeFileSync(join(folder, name), content);
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'statehouse-branding-'));
    cpSync(SHIPPED, folder, { recursive: true });
    write('logo.png', PNG);
    write('brand.woff2', WOFF2);
    write('photo.jpg', Buffer.from('\xff\xd8\xff\xe0', 'latin1'));
    write('icon.svg', '<?xml version="1.0"?>\n<!-- <p> -->\n<svg xmlns="http://www.w3.org/2000/svg"/>');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const load = (text: string) => {
    write('branding.yaml', text);
    return loadConfiguration(folder, 'https://as.test');
  };

  it('may be omitted, or be empty', () => {
    expect(loadConfiguration(SHIPPED, 'https://as.test').branding).toEqual(NO_BRANDING);
    expect(load('{}').branding).toEqual(NO_BRANDING);
  });

  it('names the owner of the pages', () => {
    const { branding } = load(`organization: Example Ltd
logo: logo.png
favicon: icon.svg
accentColor: { light: "#1F4FD8", dark: "#8fb0ff" }
links: { help: "mailto:help@example.com", terms: "https://example.com/terms" }
footer: Main Street 1
`);
    expect(branding).toMatchObject({
      organization: 'Example Ltd',
      logo: { type: 'image/png', hash: expect.stringMatching(/^[\w-]{43}$/) },
      favicon: { type: 'image/svg+xml' },
      accentColor: { light: '#1F4FD8', dark: '#8fb0ff' },
      links: { help: 'mailto:help@example.com', terms: 'https://example.com/terms' },
      footer: 'Main Street 1',
    });
  });

  it('has a wordmark, a font, corners and a background', () => {
    const { branding } = load(`organization: Example Ltd
wordmark: { light: logo.png }
font: { regular: brand.woff2, bold: brand.woff2 }
cornerRadius: 12
background: { light: "#fff7e6", dark: "#0d1117" }
`);
    expect(branding).toMatchObject({
      font: { regular: { type: 'font/woff2' }, bold: { type: 'font/woff2' } },
      cornerRadius: 12,
      background: { light: '#fff7e6', dark: '#0d1117' },
    });
    // Where no other is named: on dark pages, and in mails.
    expect(branding.wordmark?.dark).toBe(branding.wordmark?.light);
    expect(branding.mailLogo).toBe(branding.wordmark?.light);
  });

  it.each([
    ['logo: logo.png', 'image/png'],
    ['logo: photo.jpg', 'image/jpeg'],
    ['logo: icon.svg', undefined],
    ['{ logo: icon.svg, mailLogo: photo.jpg }', 'image/jpeg'],
    ['logo: heavy.png', undefined],
  ])('shows in mails an image that clients know, of a bounded size: %s', (text, type) => {
    write('heavy.png', Buffer.concat([PNG, Buffer.alloc(64 * 1024)]));
    expect(load(text).branding.mailLogo?.type).toBe(type);
  });

  it.each([
    [
      'accentColor: { light: "#8fb0ff", dark: "#8fb0ff" }',
      /branding\.yaml:1: accentColor\.light: Expected a colour with a contrast of at least 4\.5:1 on light pages .*found "#8fb0ff", which has 1\.9\d:1/,
    ],
    ['accentColor: { light: "#1f4fd8", dark: "#1f4fd8" }', /accentColor\.dark: .*on dark pages .*which has 2\.\d\d:1/],
    ['accentColor: { light: "#1f4fd8" }', /accentColor\.dark: Expected a colour such as/],
    ['accentColor: { light: "red;}body{", dark: "#8fb0ff" }', /accentColor\.light: Expected a colour such as/],
    [
      'background: { light: "#9a9a9a", dark: "#0d1117" }',
      /branding\.yaml:1: background\.light: Expected a colour with a contrast of at least 4\.5:1 under the texts and links of light pages .*found "#9a9a9a", which has 2\.\d\d:1/,
    ],
    [
      // The texts have enough, the team's own links have not.
      'accentColor: { light: "#7a1fa2", dark: "#e0b0ff" }\nbackground: { light: "#b9d2ff", dark: "#000000" }',
      /background\.light: .*found "#b9d2ff", which has 4\.\d\d:1/,
    ],
    ['background: { light: "#ffffff", dark: "#555555" }', /background\.dark: .*of dark pages/],
    ['cornerRadius: 25', /cornerRadius: Expected a whole number of pixels from 0 to 24, found 25/],
    ['cornerRadius: 1.5', /cornerRadius: Expected a whole number of pixels/],
    [
      'font: { regular: logo.png }',
      /font\.regular: Expected a WOFF2 font of at most 512 KiB in this folder, found a file that/,
    ],
    ['font: { bold: brand.woff2 }', /font\.regular: Expected the name of a file/],
    ['mailLogo: icon.svg', /mailLogo: Expected a PNG or JPEG image of at most 64 KiB/],
    ['wordmark: { light: logo.png }', /wordmark: Expected organization beside it: .*found it without organization/],
    [
      'organization: Example Ltd\nlogo: logo.png\nwordmark: { light: logo.png }',
      /branding\.yaml:2: logo: Expected either logo or wordmark, found it beside wordmark/,
    ],
    ['wordmark: { light: brand.woff2 }', /wordmark\.light: Expected a PNG, JPEG, WebP or SVG image/],
    ['logo: ../sign-in.yaml', /logo: Expected the name of a file in this folder/],
    ['logo: none.png', /logo: Expected a PNG, JPEG, WebP or SVG image .*found no such file/],
    ['logo: sign-in.yaml', /logo: .*found a file that is none, by its bytes/],
    ['favicon: photo.jpg', /favicon: Expected a PNG or SVG image of at most 64 KiB/],
    ['logo: large.png', /logo: .*found a file of 257 KiB/],
    ['links: { help: "http://example.com" }', /links\.help: Expected an https: or mailto: URL/],
    ['links: { terms: "javascript:alert(1)" }', /links\.terms: Expected/],
    ['organization: ""', /organization: Expected a text of 1 to 80 characters/],
    ['footer: "a\\u202eb"', /footer: Expected a text of 1 to 300/],
    ['organisation: x', /organisation.*Did you mean "organization"/],
  ])('rejects %s', (text, message) => {
    write('large.png', Buffer.concat([PNG, Buffer.alloc(256 * 1024)]));
    expect(() => load(text)).toThrow(message);
  });

  it('a change is logged without the bytes of an image; another image is another change', () => {
    const before = load('organization: A');
    const after = load('{ organization: B, logo: logo.png }');
    expect(changesBetween(before, after)).toEqual([
      { key: 'branding.logo', from: null, to: after.branding.logo?.hash },
      { key: 'branding.mailLogo', from: null, to: after.branding.logo?.hash },
      { key: 'branding.organization', from: 'A', to: 'B' },
    ]);
    const trace = traceOf(folder);
    write('logo.png', Buffer.concat([PNG, PNG]));
    expect(traceOf(folder)).not.toBe(trace);
  });
});
