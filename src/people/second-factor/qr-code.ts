/** A QR code as SVG, made on the server: its secret goes to no other server. */
import { renderSVG } from 'uqr';

/**
 * An SVG element, with dark modules on white in any color scheme: cameras expect that, and a margin of four modules
 * (ISO/IEC 18004).
 */
export const qrCode = (text: string): string =>
  renderSVG(text, { ecc: 'M', border: 4, pixelSize: 1, blackColor: '#000000', whiteColor: '#ffffff' });
