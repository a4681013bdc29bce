/** The QR code of a set-up, read by a decoder that others wrote. */
import decodeQR from 'qr/decode.js';
import { expect, it } from 'vitest';
import { systemRandom } from '../../../src/crypto/random.ts';
import { totpUri } from '../../../src/crypto/totp.ts';
import type { SecondFactorDeps } from '../../../src/people/second-factor/deps.ts';
import { qrCode } from '../../../src/people/second-factor/qr-code.ts';
import { beginSetUp } from '../../../src/people/second-factor/set-up.ts';
import { testKeys } from '../../support/macs.ts';

const PIXELS = 8;
const PART = /M(\d+),(\d+)h(\d+)v(\d+)h-\3z/g;

/** The picture, as a camera would see it: `PIXELS` for each module. */
function seen(svg: string) {
  const [, side = ''] = /viewBox="0 0 (\d+) \1"/.exec(svg) ?? [];
  const modules = Number(side);
  const width = modules * PIXELS;
  const data = new Uint8Array(width * width).fill(255);
  const [, drawing = ''] = /<path fill="#000000" d="([^"]+)"/.exec(svg) ?? [];
  expect(drawing.replaceAll(PART, '')).toBe('');
  for (const [, left, top, across, down] of drawing.matchAll(PART)) {
    for (let y = Number(top) * PIXELS; y < (Number(top) + Number(down)) * PIXELS; y++) {
      const start = y * width + Number(left) * PIXELS;
      data.fill(0, start, start + Number(across) * PIXELS);
    }
  }
  const rgba = Uint8Array.from({ length: data.length * 4 }, (_, index) =>
    index % 4 === 3 ? 255 : (data[index >> 2] ?? 0),
  );
  return { modules, data, width, image: { width, height: width, data: rgba } };
}

const URIS = [
  totpUri('JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', 'login.example', 'ada'),
  totpUri('JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', 'anmeldung.firma.example:8443', 'jürgen.größe+tëst@例え.example'),
  totpUri('JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', `${'a'.repeat(60)}.example`, 'u'.repeat(200)),
];

it.each(URIS)('%s is readable for an app', (uri) => {
  expect(decodeQR(seen(qrCode(uri)).image)).toBe(uri);
});

it('the code has a margin of four light modules on a light ground, in any colour scheme', () => {
  const svg = qrCode(URIS[0] ?? '');
  const { modules, width, data } = seen(svg);
  expect(svg).toContain(`<rect fill="#ffffff" width="${modules}" height="${modules}"/>`);
  const dark = Array.from(data.keys()).filter((index) => data[index] === 0);
  const columns = dark.map((index) => Math.floor((index % width) / PIXELS));
  const rows = dark.map((index) => Math.floor(index / width / PIXELS));
  const range = (values: readonly number[]) => [
    values.reduce((least, value) => Math.min(least, value)),
    values.reduce((most, value) => Math.max(most, value)),
  ];
  expect([range(columns), range(rows)]).toEqual([
    [4, modules - 5],
    [4, modules - 5],
  ]);
});

it.each([
  [null, 'login.example:8443'],
  ['Example Ltd', 'Example Ltd'],
  // A colon would end the name, and a long name would not fit into a code.
  ['Müller: Söhne', 'Müller  Söhne'],
  ['社'.repeat(80), '社'.repeat(40)],
])('an app shows the name of the team beside the username: %j', async (organization, name) => {
  const setUp = await beginSetUp(
    {
      issuer: 'https://login.example:8443/as',
      configuration: () => ({ branding: { organization } }),
      secondFactors: { listApps: async () => [], insertApp: async () => {} },
      keys: testKeys,
      random: systemRandom,
    } as unknown as SecondFactorDeps,
    { userId: 'x', username: 'ada' },
  );
  const uri = new URL(decodeQR(seen(setUp?.qrCode ?? '').image));
  expect(uri.searchParams.get('issuer')).toBe(name);
  expect(decodeURIComponent(uri.pathname)).toMatch(new RegExp(`${name}:ada$`));
});
