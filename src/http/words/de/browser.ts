import type { browser as english } from '../en/browser.ts';

export const browser: typeof english = {
  unknown: 'Ein Browser',
  on: (name, system) => `${name} unter ${system}`,
};
