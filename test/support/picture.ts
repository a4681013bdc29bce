/** `PICTURES=1 npm test -- test/e2e` writes pictures of the pages to test-results/e2e. Otherwise the browser makes none. */
import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';

const FOLDER = 'test-results/e2e';
const isAsked = process.env['PICTURES'] !== undefined;

export async function takePicture(page: Page, name: string): Promise<void> {
  if (!isAsked) return;
  mkdirSync(FOLDER, { recursive: true });
  await page.screenshot({ path: `${FOLDER}/${name}.png`, fullPage: true });
}
