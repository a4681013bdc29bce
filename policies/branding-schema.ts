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

const image = (description: string) =>
  expecting(
    z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/),
    'the name of a file in this folder: letters, digits, ".", "_" and "-"',
  )
    .optional()
    .describe(description);

const color = (description: string) =>
  expecting(z.string().regex(/^#[0-9A-Fa-f]{6}$/), 'a colour such as "#1f4fd8"').describe(description);

/** `branding.yaml`. It may be left out: the pages then show no name but that of the software. */
export const brandingSchema = z.strictObject({
  organization: text(80, 'The name of the organisation, at the top of every page.').optional(),
  logo: image(
    'Shown beside the name: a file in this folder, PNG, JPEG, WebP or SVG, of at most 256 KiB. It is shown 40 pixels high.',
  ),
  favicon: image('The icon of the browser tab: a file in this folder, PNG or SVG, of at most 64 KiB.'),
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
