/** The installed browser; none is downloaded. */
import { existsSync } from 'node:fs';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type CDPSession,
  chromium,
  type Page,
} from 'playwright-core';
import { toolsAreRequired } from './installed-tool.ts';

const PLACES = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Null: no browser is installed, and the browser tests are skipped. */
export const chromiumPath: string | null = PLACES.find((path) => path !== undefined && existsSync(path)) ?? null;
if (chromiumPath === null && toolsAreRequired)
  throw new Error('TEST_TOOLS asks for the browser tests: install Debian’s chromium.');

/** Vitest's own time limit is the only one: a slow machine fails no test. */
const NO_LIMIT = 0;

export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath ?? '',
    timeout: NO_LIMIT,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

export async function newContext(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(NO_LIMIT);
  return context;
}

/** In a context of its own. */
export const newPage = async (browser: Browser, options: BrowserContextOptions = {}): Promise<Page> =>
  (await newContext(browser, options)).newPage();

export type Authenticator = { readonly device: CDPSession; readonly authenticatorId: string };

/** A phone or a laptop that keeps passkeys, whose owner is always there and unlocks it. */
export async function addAuthenticator(page: Page): Promise<Authenticator> {
  const device = await page.context().newCDPSession(page);
  await device.send('WebAuthn.enable', { enableUI: false });
  const { authenticatorId } = await device.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { device, authenticatorId };
}
