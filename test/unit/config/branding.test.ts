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

describe('branding.yaml', () => {
  let folder: string;
  const write = (name: string, content: string | Buffer) => writeFileSync(join(folder, name), content);
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'statehouse-branding-'));
    cpSync(SHIPPED, folder, { recursive: true });
    write('logo.png', PNG);
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

  it.each([
    [
      'accentColor: { light: "#8fb0ff", dark: "#8fb0ff" }',
      /branding\.yaml:1: accentColor\.light: Expected a colour with a contrast of at least 4\.5:1 on light pages .*found "#8fb0ff", which has 1\.9\d:1/,
    ],
    ['accentColor: { light: "#1f4fd8", dark: "#1f4fd8" }', /accentColor\.dark: .*on dark pages .*which has 2\.\d\d:1/],
    ['accentColor: { light: "#1f4fd8" }', /accentColor\.dark: Expected a colour such as/],
    ['accentColor: { light: "red;}body{", dark: "#8fb0ff" }', /accentColor\.light: Expected a colour such as/],
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
    write('photo.jpg', Buffer.from('\xff\xd8\xff\xe0', 'latin1'));
    write('large.png', Buffer.concat([PNG, Buffer.alloc(256 * 1024)]));
    expect(() => load(text)).toThrow(message);
  });

  it('a change is logged without the bytes of an image; another image is another change', () => {
    const before = load('organization: A');
    const after = load('{ organization: B, logo: logo.png }');
    expect(changesBetween(before, after)).toEqual([
      { key: 'branding.logo', from: null, to: after.branding.logo?.hash },
      { key: 'branding.organization', from: 'A', to: 'B' },
    ]);
    const trace = traceOf(folder);
    write('logo.png', Buffer.concat([PNG, PNG]));
    expect(traceOf(folder)).not.toBe(trace);
  });
});
