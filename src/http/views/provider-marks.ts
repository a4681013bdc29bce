/** The marks of known identity providers, in one colour, as paths in a square of 24. From Simple Icons (CC0-1.0), but for Microsoft's. */
import { html } from 'ghtml';
import type { ProviderPreset } from '../../config/configuration.ts';
import type { Markup } from './page.ts';
import paths from './provider-marks.json' with { type: 'json' };

const PATHS: Readonly<Record<ProviderPreset, string>> = paths;

/** Assistive technology passes over it: the label beside it names the provider. */
export const providerMark = (preset: ProviderPreset): Markup =>
  html`<svg class="mark" viewBox="0 0 24 24" aria-hidden="true"><path d="${PATHS[preset]}"/></svg>`;
