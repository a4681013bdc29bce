/** The places of addresses, from a file that the test writes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { placesIn } from '../../../src/boot/places.ts';
import { mmdbOf } from '../../support/mmdb.ts';

const VIENNA = { city: { names: { en: 'Vienna', de: 'Wien' } }, country: { iso_code: 'AT', names: { en: 'Austria' } } };
const PARIS = { city: { names: { en: 'Paris' } }, country: { iso_code: 'FR' } };

describe('places', () => {
  let folder: string;
  let file: string;
  const warn = vi.fn();
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'statehouse-places-'));
    file = join(folder, 'places.mmdb');
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  beforeEach(() => {
    warn.mockClear();
    writeFileSync(
      file,
      mmdbOf({
        '203.0.113.0/24': VIENNA,
        '2001:db8:1::/48': VIENNA,
        '198.51.100.0/25': { country: { iso_code: 'JP' } },
        '198.51.100.128/25': { city: { names: { ja: '東京' } } },
        '192.0.2.0/24': { country: { iso_code: 'not a code' } },
      }),
    );
  });

  it.each([
    ['203.0.113.7', ['en-US', 'en'], { city: 'Vienna', country: 'Austria' }],
    ['203.0.113.7', ['de-AT', 'de'], { city: 'Wien', country: 'Österreich' }],
    ['203.0.113.7', ['ar', 'ar'], { city: 'Vienna', country: 'النمسا' }],
    ['2001:db8:1::17', ['fr'], { city: 'Vienna', country: 'Autriche' }],
    ['198.51.100.7', ['en'], { city: null, country: 'Japan' }],
    ['198.51.100.200', ['en'], null],
    ['192.0.2.1', ['en'], null],
    ['10.0.0.1', ['en'], null],
    ['2001:db8:2::17', ['en'], null],
    ['not an address', ['en'], null],
    ['', ['en'], null],
  ])('%s in %j', async (address, languages, place) => {
    expect(await placesIn(file, { warn })(address, languages)).toEqual(place);
  });

  it('without a file no address has a place', async () => {
    expect(await placesIn(null, { warn })('203.0.113.7', ['en'])).toBeNull();
    expect(warn).not.toHaveBeenCalled();
  });

  it('loads the file once, and again after a change', async () => {
    const placeOf = placesIn(file, { warn });
    await Promise.all([1, 2, 3].map(() => placeOf('203.0.113.7', ['en'])));
    writeFileSync(file, mmdbOf({ '203.0.113.0/24': PARIS }));
    expect(await placeOf('203.0.113.7', ['en'])).toEqual({ city: 'Paris', country: 'France' });
    expect(await placeOf('2001:db8:1::17', ['en'])).toBeNull();
  });

  it('keeps the last good file, and says once that the new one cannot be read', async () => {
    const placeOf = placesIn(file, { warn });
    await placeOf('203.0.113.7', ['en']);
    writeFileSync(file, 'half a file');
    for (let n = 0; n < 3; n++) expect(await placeOf('203.0.113.7', ['en'])).toMatchObject({ city: 'Vienna' });
    expect(warn).toHaveBeenCalledTimes(1);
    rmSync(file);
    for (let n = 0; n < 3; n++) expect(await placeOf('203.0.113.7', ['en'])).toMatchObject({ city: 'Vienna' });
    expect(warn).toHaveBeenCalledTimes(2);
  });

  it('a file that never was there costs no page', async () => {
    const placeOf = placesIn(join(folder, 'nowhere.mmdb'), { warn });
    expect(await placeOf('203.0.113.7', ['en'])).toBeNull();
    expect(await placeOf('203.0.113.7', ['en'])).toBeNull();
    expect(warn).toHaveBeenCalledTimes(1);
  });
});
