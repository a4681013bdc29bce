/** The buttons of other places to sign in: their values, labels and marks. */
import { expect, it } from 'vitest';
import { PRESET_NAMES } from '../../../policies/upstream-presets.ts';
import { externalPlaces, placeOf } from '../../../src/http/external-places.ts';
import { providerMark } from '../../../src/http/views/provider-marks.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { upstreamOf } from '../../support/upstream.ts';

const SAID = { issuer: 'https://login.example.com', client_id: 'statehouse' };

it('each place has a button, the own application first', () => {
  const upstreams = [upstreamOf(SAID), upstreamOf({ ...SAID, preset: 'okta', name: 'okta', label: 'Okta' })];
  const delegatedSignIn = {
    url: 'https://app.example/sign-in',
    show: 'button',
    label: 'your account',
    createUsers: false,
    lifetimeSeconds: 600,
  } as const;
  expect(externalPlaces({ ...shippedConfiguration, upstreams, delegatedSignIn }, '/action')).toEqual({
    action: '/action',
    places: [
      { name: 'delegated', label: 'your account' },
      { name: 'upstream:company', label: 'Company', preset: undefined },
      { name: 'upstream:okta', label: 'Okta', preset: 'okta' },
    ],
  });
  expect(externalPlaces({ ...shippedConfiguration, upstreams: [], delegatedSignIn: null }, '/action')).toBeNull();
});

it.each([
  ['delegated', { delegated: true }],
  ['upstream:company', { upstream: 'company' }],
  ['upstream:', null],
  ['upstream:Company', null],
  [`upstream:${'a'.repeat(41)}`, null],
  ['upstream:company ', null],
  ['an upstream:company', null],
  ['Delegated', null],
  [null, null],
])('a form that sends %j asks for %j', (sent, place) => {
  expect(placeOf(sent)).toEqual(place);
});

it.each(PRESET_NAMES)('the mark of %s is an image that assistive technology passes over', (preset) => {
  expect(String(providerMark(preset))).toMatch(
    /^<svg class="mark" viewBox="0 0 24 24" aria-hidden="true"><path d="[Mm][^"<>]{40,}"\/><\/svg>$/,
  );
});
