/** The schema of `branding.yaml`: how the pages show whose they are. */
import { z } from 'zod';
import { expecting } from './expectations.ts';
import { isPlainText } from './plain-text.ts';

const text = (max: number, description: string) =>
  expecting(
    z
      .string()
      .max(max)
      .refine((value) => isPlainText(value) && value.trim() !== ''),
    `a text of 1 to ${max} characters without control characters`,
  ).describe(description);

const link = (protocols: readonly string[], description: string) =>
  expecting(
    z
      .string()
      .max(1024)
      .refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol)),
    `an ${protocols.join(' or ')} URL of at most 1024 characters`,
  )
    .optional()
    .describe(description);

const file = (description: string) =>
  expecting(
    z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/),
    'the name of a file in this folder: letters, digits, ".", "_" and "-"',
  ).describe(description);

const color = (description: string) =>
  expecting(z.string().regex(/^#[0-9A-Fa-f]{6}$/), 'a colour such as "#1f4fd8"').describe(description);

/** The corners of the shipped style: those of cards are half as large again. */
const LARGEST_RADIUS_PIXELS = 24;

/** `branding.yaml`. It may be left out: the pages then show no name but that of the software. */
export const brandingSchema = z.strictObject({
  organization: text(80, 'The name of the organisation, at the top of every page.').optional(),
  logo: file(
    'Shown beside the name: a file in this folder, PNG, JPEG, WebP or SVG, of at most 256 KiB. It is shown 40 pixels high.',
  ).optional(),
  wordmark: z
    .strictObject({
      light: file('On light pages: a file in this folder, PNG, JPEG, WebP or SVG, of at most 256 KiB.'),
      dark: file('On dark pages, in the same formats; the image for light pages where it is left out.').optional(),
    })
    .optional()
    .describe('An image in place of logo and name, 40 pixels high. The name is its text for people who do not see it.'),
  mailLogo: file(
    'Shown at the top of mails: a file in this folder, PNG or JPEG, of at most 64 KiB. Left out: the wordmark or the logo, where it is such a file.',
  ).optional(),
  favicon: file('The icon of the browser tab: a file in this folder, PNG or SVG, of at most 64 KiB.').optional(),
  font: z
    .strictObject({
      regular: file('A file in this folder, WOFF2, of at most 512 KiB.'),
      bold: file('The same for headings and buttons. A variable font is one file: name it twice.').optional(),
    })
    .optional()
    .describe('The font of the pages. This server serves it; letters that it does not have come from the system.'),
  cornerRadius: expecting(
    z.int().min(0).max(LARGEST_RADIUS_PIXELS),
    `a whole number of pixels from 0 to ${LARGEST_RADIUS_PIXELS}`,
  )
    .optional()
    .describe('The corners of buttons and fields, in pixels: 8 as shipped. Those of cards are half as large again.'),
  background: z
    .strictObject({
      light: color('Behind light pages. Texts and links have a contrast of at least 4.5:1 on it (WCAG 2.2, 1.4.3).'),
      dark: color('Behind dark pages. The same contrast holds there.'),
    })
    .optional()
    .describe('The colour behind the card of each page.'),
  accentColor: z
    .strictObject({
      light: color('On light pages. Its contrast on them is at least 4.5:1 (WCAG 2.2, 1.4.3).'),
      dark: color('On dark pages, for people whose system is dark. The same contrast holds there.'),
    })
    .optional()
    .describe('The colour of buttons, links and the focus.'),
  links: z
    .strictObject({
      help: link(['https:', 'mailto:'], 'Where people find help.'),
      terms: link(['https:'], 'The terms of service; in the metadata too, as op_tos_uri.'),
      privacy: link(['https:'], 'The privacy policy; in the metadata too, as op_policy_uri.'),
    })
    .default({})
    .describe('Shown at the end of every page.'),
  footer: text(300, 'A text at the end of every page, such as a postal address.').optional(),
});

export type BrandingFile = z.output<typeof brandingSchema>;
