/** Fetches an image from an address that a registration names. */
import { sha256 } from '../crypto/digest.ts';
import { type Image, type RasterType, rasterTypeOf } from '../model/image.ts';
import { fetchPublic, type PublicFetch, type PublicFetchOptions } from './fetch-public.ts';

export type FetchedImage = Image & { readonly type: RasterType };

const IMAGE: PublicFetch = {
  what: 'image',
  accept: 'image/png, image/jpeg, image/webp, image/gif',
  maxBytes: 256 * 1024,
  maxRedirects: 3,
  maxMilliseconds: 10_000,
};

/** @throws Error: it cannot be shown; the message says why, and nothing of what the other server sent. */
export const fetchImage = async (uri: string, options: PublicFetchOptions = {}): Promise<FetchedImage> =>
  imageFrom(await fetchPublic(uri, IMAGE, options));

/** The type comes from the bytes. The Content-Type of the other server does not count. */
function imageFrom(bytes: Buffer): FetchedImage {
  const type = rasterTypeOf(bytes);
  if (type === null) throw new Error('The bytes are no PNG, JPEG, WebP or GIF image.');
  return { hash: sha256(bytes).toString('base64url'), type, bytes };
}
