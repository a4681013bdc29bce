/** The branding in force: the file, with its images read and its colours measured. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { BrandingFile } from '../../policies/branding-schema.ts';
import { sha256 } from '../crypto/digest.ts';
import { type Image, type ImageType, isSvg, rasterTypeOf } from '../model/image.ts';
import type { Problem } from './problem.ts';
import { unreadable } from './text-file.ts';
import type { Reading } from './yaml-file.ts';

export const BRANDING_FILE = 'branding.yaml';

export type Branding = {
  readonly organization: string | null;
  readonly logo: Image | null;
  readonly favicon: Image | null;
  readonly accentColor: { readonly light: string; readonly dark: string } | null;
  readonly links: { readonly [Name in 'help' | 'terms' | 'privacy']?: string | undefined };
  readonly footer: string | null;
};

export const NO_BRANDING: Branding = {
  organization: null,
  logo: null,
  favicon: null,
  accentColor: null,
  links: {},
  footer: null,
};

type ReadFile = Pick<Extract<Reading<never>, { ok: true }>, 'lineOf'> & { readonly value: BrandingFile };

/** @returns the branding; where problems were added, it is not for use. */
export function brandingOf(folder: string, { value, lineOf }: ReadFile, problems: Problem[]): Branding {
  const wrong = (path: readonly string[], found: string, allowed: string): void => {
    const [file, key] = [BRANDING_FILE, path.join('.')];
    problems.push({ file, line: lineOf(path), key, found, allowed, nearest: null });
  };
  for (const [scheme, color] of Object.entries(value.accentColor ?? {})) {
    const ratio = leastContrast(color, scheme === 'light' ? LIGHT : DARK);
    if (ratio >= NEEDED_RATIO) continue;
    const shown = (Math.floor(ratio * 100) / 100).toFixed(2);
    const allowed = `a colour with a contrast of at least ${NEEDED_RATIO}:1 on ${scheme} pages (WCAG 2.2, 1.4.3)`;
    wrong(['accentColor', scheme], `"${color}", which has ${shown}:1`, allowed);
  }
  const image = (key: 'logo' | 'favicon', limits: Limits): Image | null => {
    const name = value[key];
    if (name === undefined) return null;
    const read = readImage(join(folder, name), limits);
    if ('hash' in read) return read;
    wrong([key], read.found, read.allowed);
    return null;
  };
  return {
    organization: value.organization ?? null,
    logo: image('logo', LOGO),
    favicon: image('favicon', FAVICON),
    accentColor: value.accentColor ?? null,
    links: value.links,
    footer: value.footer ?? null,
  };
}

/** The backgrounds of links and buttons: `--page` and `--card` of src/http/views/style.css. */
export const LIGHT = ['#f3f4f7', '#ffffff'];
export const DARK = ['#101216', '#1a1d23'];
/** WCAG 2.2, 1.4.3 (AA), for text of an ordinary size. */
const NEEDED_RATIO = 4.5;

function leastContrast(color: string, backgrounds: readonly string[]): number {
  // Only a file with colours needs it, and it takes longer to load than all files to read.
  const { wcagContrast }: typeof import('culori') = createRequire(import.meta.url)('culori');
  return Math.min(...backgrounds.map((background) => wcagContrast(color, background)));
}

type Limits = { readonly types: readonly ImageType[]; readonly names: string; readonly kibibytes: number };

const LOGO: Limits = {
  types: ['image/png', 'image/jpeg', 'image/webp', 'image/svg+xml'],
  names: 'a PNG, JPEG, WebP or SVG image',
  kibibytes: 256,
};
const FAVICON: Limits = { types: ['image/png', 'image/svg+xml'], names: 'a PNG or SVG image', kibibytes: 64 };

function readImage(path: string, { types, names, kibibytes }: Limits): Image | Pick<Problem, 'found' | 'allowed'> {
  const allowed = `${names} of at most ${kibibytes} KiB in this folder`;
  try {
    const bytes = readFileSync(path);
    if (bytes.length > kibibytes * 1024) return { found: `a file of ${Math.ceil(bytes.length / 1024)} KiB`, allowed };
    const type = rasterTypeOf(bytes) ?? (isSvg(bytes) ? 'image/svg+xml' : null);
    if (type === null || !types.includes(type)) return { found: 'a file that is none, by its bytes', allowed };
    return { hash: sha256(bytes).toString('base64url'), type, bytes };
  } catch (error) {
    return { found: unreadable(error).found, allowed };
  }
}
