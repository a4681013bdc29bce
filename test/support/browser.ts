/** Tests use the browser of the scenarios. */
export { type Answer, Browser, formOf } from '../../src/review/simulation/devices/browser.ts';
