/**
 * The place of an address, from a file in MaxMind's format (mmdb) that the team provides. The first question loads the
 * file, and the first question after a change loads it again. No address leaves the server.
 */
import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { CityResponse, Reader } from 'mmdb-lib';
import type { Logger } from 'pino';
import type { Place, PlaceOf } from '../people/account/origins.ts';

type Loaded = { readonly trace: string; readonly reader: Reader<CityResponse> | null };

/** @param file null: the team provides none, and no address has a place. */
export function placesIn(file: string | null, logger: Pick<Logger, 'warn'>): PlaceOf {
  if (file === null) return async () => null;
  let loading: Promise<Loaded> = Promise.resolve({ trace: '', reader: null });

  /** A file that cannot be read replaces no file that could. */
  async function current({ trace, reader }: Loaded): Promise<Loaded> {
    let found = 'unreadable';
    try {
      const { mtimeMs, size, ino } = await stat(file as string);
      found = [mtimeMs, size, ino].join(' ');
      if (found === trace) return { trace, reader };
      const { Reader: MmdbReader } = await import('mmdb-lib');
      return { trace: found, reader: new MmdbReader<CityResponse>(await readFile(file as string)) };
    } catch (error) {
      if (found !== trace) logger.warn({ err: error, file }, 'the file of places cannot be read');
      return { trace: found, reader };
    }
  }

  return async (address, languages) => {
    if (isIP(address) === 0) return null;
    loading = loading.then(current);
    const { reader } = await loading;
    try {
      return placeIn(reader?.get(address) ?? null, languages);
    } catch (error) {
      logger.warn({ err: error, file }, 'the file of places has a broken record');
      return null;
    }
  };
}

/** A file of countries has no cities. The names of countries come with the server, in more languages than the file has. */
function placeIn(record: CityResponse | null, languages: readonly string[]): Place | null {
  const names: Readonly<Record<string, string | undefined>> = { ...record?.city?.names };
  const city = [...languages, 'en'].flatMap((language) => names[language] ?? [])[0] ?? null;
  const code = record?.country?.iso_code ?? null;
  const country = code === null ? null : nameOfCountry(code, languages);
  return city === null && country === null ? null : { city, country };
}

function nameOfCountry(code: string, languages: readonly string[]): string | null {
  try {
    return new Intl.DisplayNames([...languages, 'en'], { type: 'region' }).of(code) ?? null;
  } catch {
    return null;
  }
}
