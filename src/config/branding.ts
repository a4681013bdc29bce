/** The branding in force: the file, with its images read and its colours measured. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { BrandingFile } from '../../policies/branding-schema.ts';
import { sha256 } from '../crypto/digest.ts';
import {
  type FontFile,
  type Image,
  type ImageType,
  isSvg,
  isWoff2,
  rasterTypeOf,
  type ServedFile,
} from '../model/image.ts';
import { type Problem, problemsIn, type ReadFile } from './problem.ts';
import { unreadable, whatIsNoFile } from './text-file.ts';

export const BRANDING_FILE = 'branding.yaml';

type Scheme = 'light' | 'dark';
type Colors = Readonly<Record<Scheme, string>>;

export type Branding = {
  readonly organization: string | null;
  readonly logo: Image | null;
  /** In place of logo and name. `dark` is the same image where the file names one. */
  readonly wordmark: Readonly<Record<Scheme, Image>> | null;
  /** PNG or JPEG, since mail clients show no other. */
  readonly mailLogo: Image | null;
  readonly favicon: Image | null;
  /** `bold` is null where the browser has to make it. */
  readonly font: { readonly regular: FontFile; readonly bold: FontFile | null } | null;
  readonly cornerRadius: number | null;
  readonly accentColor: Colors | null;
  readonly background: Colors | null;
  readonly links: { readonly [Name in 'help' | 'terms' | 'privacy']?: string | undefined };
  readonly footer: string | null;
};

export const NO_BRANDING: Branding = {
  organization: null,
  logo: null,
  wordmark: null,
  mailLogo: null,
  favicon: null,
  font: null,
  cornerRadius: null,
  accentColor: null,
  background: null,
  links: {},
  footer: null,
};

type Wrong = (path: readonly string[], found: string, allowed: string) => void;

/** @returns the branding; where problems were added, it is not for use. */
export function brandingOf(folder: string, file: ReadFile<BrandingFile>, problems: Problem[]): Branding {
  const { value } = file;
  const problem = problemsIn(BRANDING_FILE, file);
  const wrong: Wrong = (path, found, allowed) => void problems.push(problem(path, found, allowed));
  checkColors(value, wrong);
  const read = <Type extends string>(path: readonly string[], name: string | undefined, limits: Limits<Type>) => {
    if (name === undefined) return null;
    const found = readTyped(join(folder, name), limits);
    if ('hash' in found) return found;
    wrong(path, found.found, found.allowed);
    return null;
  };
  if (value.wordmark && value.logo !== undefined) wrong(['logo'], 'it beside wordmark', 'either logo or wordmark');
  if (value.wordmark && value.organization === undefined)
    wrong(['wordmark'], 'it without organization', 'organization beside it: the name is the text of the image');
  const logo = read(['logo'], value.logo, LOGO);
  const light = read(['wordmark', 'light'], value.wordmark?.light, LOGO);
  const dark = read(['wordmark', 'dark'], value.wordmark?.dark, LOGO) ?? light;
  const wordmark = light && dark && { light, dark };
  const regular = read(['font', 'regular'], value.font?.regular, FONT);
  const bold = read(['font', 'bold'], value.font?.bold, FONT);
  return {
    organization: value.organization ?? null,
    logo,
    wordmark,
    mailLogo: read(['mailLogo'], value.mailLogo, MAIL_LOGO) ?? forMails(wordmark?.light ?? logo),
    favicon: read(['favicon'], value.favicon, FAVICON),
    font: regular && { regular, bold },
    cornerRadius: value.cornerRadius ?? null,
    accentColor: value.accentColor ?? null,
    background: value.background ?? null,
    links: value.links,
    footer: value.footer ?? null,
  };
}

/** Each mail contains it, so a larger one needs a file of its own. */
const forMails = (image: Image | null): Image | null =>
  image !== null && MAIL_LOGO.types.includes(image.type) && image.bytes.length <= MAIL_LOGO.kibibytes * 1024
    ? image
    : null;

type PageColors = Readonly<Record<'page' | 'card' | 'text' | 'quiet' | 'accent', string>>;

/** The colours of the same names in src/http/views/style.css. */
export const COLORS: Readonly<Record<Scheme, PageColors>> = {
  light: { page: '#f3f4f7', card: '#ffffff', text: '#16181d', quiet: '#565c68', accent: '#1f4fd8' },
  dark: { page: '#101216', card: '#1a1d23', text: '#eceef2', quiet: '#a8aeba', accent: '#8fb0ff' },
};
const SCHEMES: readonly Scheme[] = ['light', 'dark'];
/** WCAG 2.2, 1.4.3 (AA), for text of an ordinary size. */
const NEEDED_RATIO = 4.5;

/** The accent is measured on the pages as they are; a background is measured under the texts and the accent. */
function checkColors({ accentColor, background }: BrandingFile, wrong: Wrong): void {
  for (const scheme of SCHEMES) {
    const { page, card, text, quiet, accent } = COLORS[scheme];
    if (accentColor) {
      const ratio = leastContrast(accentColor[scheme], [page, card]);
      const where = `on ${scheme} pages`;
      if (ratio < NEEDED_RATIO) wrong(['accentColor', scheme], found(accentColor[scheme], ratio), contrasting(where));
    }
    if (background) {
      const ratio = leastContrast(background[scheme], [text, quiet, accentColor?.[scheme] ?? accent]);
      const where = `under the texts and links of ${scheme} pages`;
      if (ratio < NEEDED_RATIO) wrong(['background', scheme], found(background[scheme], ratio), contrasting(where));
    }
  }
}

const found = (color: string, ratio: number) => `"${color}", which has ${(Math.floor(ratio * 100) / 100).toFixed(2)}:1`;
const contrasting = (where: string) =>
  `a colour with a contrast of at least ${NEEDED_RATIO}:1 ${where} (WCAG 2.2, 1.4.3)`;

function leastContrast(color: string, others: readonly string[]): number {
  // Only a file with colours needs it, and it takes longer to load than all files to read.
  const { wcagContrast }: typeof import('culori') = createRequire(import.meta.url)('culori');
  return Math.min(...others.map((other) => wcagContrast(color, other)));
}

type Limits<Type> = { readonly types: readonly Type[]; readonly names: string; readonly kibibytes: number };

const LOGO: Limits<ImageType> = {
  types: ['image/png', 'image/jpeg', 'image/webp', 'image/svg+xml'],
  names: 'a PNG, JPEG, WebP or SVG image',
  kibibytes: 256,
};
const MAIL_LOGO: Limits<ImageType> = {
  types: ['image/png', 'image/jpeg'],
  names: 'a PNG or JPEG image',
  kibibytes: 64,
};
const FAVICON: Limits<ImageType> = {
  types: ['image/png', 'image/svg+xml'],
  names: 'a PNG or SVG image',
  kibibytes: 64,
};
const FONT: Limits<FontFile['type']> = { types: ['font/woff2'], names: 'a WOFF2 font', kibibytes: 512 };

function readTyped<Type extends string>(
  path: string,
  { types, names, kibibytes }: Limits<Type>,
): ServedFile<Type> | Pick<Problem, 'found' | 'allowed'> {
  const allowed = `${names} of at most ${kibibytes} KiB in this folder`;
  try {
    const unsuitable = whatIsNoFile(path);
    if (unsuitable !== null) return { found: unsuitable.found, allowed };
    const bytes = readFileSync(path);
    if (bytes.length > kibibytes * 1024) return { found: `a file of ${Math.ceil(bytes.length / 1024)} KiB`, allowed };
    const byBytes = typeOf(bytes);
    const type = types.find((one) => one === byBytes);
    if (type === undefined) return { found: 'a file that is none, by its bytes', allowed };
    return { hash: sha256(bytes).toString('base64url'), type, bytes };
  } catch (error) {
    return { found: unreadable(error).found, allowed };
  }
}

const typeOf = (bytes: Uint8Array): ImageType | FontFile['type'] | null =>
  rasterTypeOf(bytes) ?? (isSvg(bytes) ? 'image/svg+xml' : isWoff2(bytes) ? 'font/woff2' : null);
