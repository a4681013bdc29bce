/** The icon of the browser tab where the branding has none: a house of state. */
import { sha256 } from '../../crypto/digest.ts';
import type { Image } from '../../model/image.ts';

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1f4fd8"/><path d="M16 6 6 11.5V14h20v-2.5zM8 16h3v7H8zm6.5 0h3v7h-3zm6.5 0h3v7h-3zM6 24.5h20V27H6z" fill="#fff"/></svg>`;

export const DEFAULT_FAVICON: Image = {
  hash: sha256(SVG).toString('base64url'),
  type: 'image/svg+xml',
  bytes: Buffer.from(SVG),
};
