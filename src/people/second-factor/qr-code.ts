/** A QR code as SVG, made on the server: the secret in it goes to no other. */
import { toString as qrCodeOf } from 'qrcode';

/** An SVG element, with dark modules on white in any colour scheme: cameras expect that. */
export const qrCode = (text: string): Promise<string> =>
  qrCodeOf(text, { type: 'svg', errorCorrectionLevel: 'M', margin: 4, color: { dark: '#000000', light: '#ffffff' } });
