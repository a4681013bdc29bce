/** An image or a font that this server serves itself: known by the hash of its bytes, and typed by them. */

export const RASTER_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;
export type RasterType = (typeof RASTER_TYPES)[number];
export type ImageType = RasterType | 'image/svg+xml';

export type ServedFile<Type> = {
  /** SHA-256 of the bytes, as base64url: its name in URLs. */
  readonly hash: string;
  readonly type: Type;
  readonly bytes: Uint8Array;
};
export type Image = ServedFile<ImageType>;
export type FontFile = ServedFile<'font/woff2'>;

const starts = (bytes: Uint8Array, text: string, at = 0): boolean =>
  [...text].every((character, index) => bytes[at + index] === character.charCodeAt(0));

/** By its first bytes, not by its name or its sender; null: none of these. */
export function rasterTypeOf(bytes: Uint8Array): RasterType | null {
  if (starts(bytes, '\x89PNG\r\n\x1a\n')) return 'image/png';
  if (starts(bytes, '\xff\xd8\xff')) return 'image/jpeg';
  if (starts(bytes, 'RIFF') && starts(bytes, 'WEBP', 8)) return 'image/webp';
  if (starts(bytes, 'GIF87a') || starts(bytes, 'GIF89a')) return 'image/gif';
  return null;
}

/** Before its root element, an XML file may have a declaration, comments and a document type. */
const SVG = /^\uFEFF?\s*(?:<\?xml[^>]*\?>\s*|<!--(?:(?!-->).)*-->\s*|<!DOCTYPE[^>[]*>\s*)*<svg[\s>]/is;

/** For images of the operator alone: an SVG can hold scripts, which run where it is opened as a page. */
export const isSvg = (bytes: Uint8Array): boolean => SVG.test(Buffer.from(bytes.subarray(0, 4096)).toString('utf8'));

/** WOFF 2.0 §4.1: the signature. */
export const isWoff2 = (bytes: Uint8Array): boolean => starts(bytes, 'wOF2');
