/** The challenge services: the script of the page, the form field that the widget fills, and the request that verifies its answer. */
import type { BotCheckPolicy, BotCheckService } from '../../../policies/bot-check-schema.ts';

export type ChallengeService = {
  /** The class of the element that the script turns into a widget. */
  readonly element: string;
  readonly script: string;
  /** The form field with the answer. */
  readonly field: string;
  /** For the Content-Security-Policy of the page. */
  readonly sources: {
    readonly script: string;
    readonly frame: string;
    readonly connect: string;
    /** Empty: none. */
    readonly style: string;
  };
  readonly endpoint: string;
  readonly verification: (sent: Sent) => RequestInit;
};

type Sent = Pick<BotCheckPolicy, 'siteKey'> & { readonly secret: string; readonly answer: string };

const asForm = ({ secret, siteKey: sitekey, answer: response }: Sent): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
  body: new URLSearchParams({ secret, sitekey, response }).toString(),
});

const asJson = ({ secret, siteKey: sitekey, answer: response }: Sent): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json', 'x-api-key': secret },
  body: JSON.stringify({ sitekey, response }),
});

const CLOUDFLARE = 'https://challenges.cloudflare.com';
const HCAPTCHA = 'https://hcaptcha.com https://*.hcaptcha.com';
const FRIENDLY_SDK = 'https://cdn.jsdelivr.net/npm/@friendlycaptcha/sdk@0.1.31/site.min.js';
const FRIENDLY = 'https://*.frcapi.com';

export const CHALLENGE_SERVICES: Readonly<Record<BotCheckService, ChallengeService>> = {
  // https://developers.cloudflare.com/turnstile/
  turnstile: {
    element: 'cf-turnstile',
    script: `${CLOUDFLARE}/turnstile/v0/api.js`,
    field: 'cf-turnstile-response',
    sources: { script: CLOUDFLARE, frame: CLOUDFLARE, connect: CLOUDFLARE, style: '' },
    endpoint: `${CLOUDFLARE}/turnstile/v0/siteverify`,
    verification: asForm,
  },
  // https://docs.hcaptcha.com/
  hcaptcha: {
    element: 'h-captcha',
    script: 'https://js.hcaptcha.com/1/api.js',
    field: 'h-captcha-response',
    sources: { script: HCAPTCHA, frame: HCAPTCHA, connect: HCAPTCHA, style: HCAPTCHA },
    endpoint: 'https://api.hcaptcha.com/siteverify',
    verification: asForm,
  },
  // https://developer.friendlycaptcha.com/docs/v2/
  'friendly-captcha': {
    element: 'frc-captcha',
    script: FRIENDLY_SDK,
    field: 'frc-captcha-response',
    sources: { script: FRIENDLY_SDK, frame: FRIENDLY, connect: FRIENDLY, style: '' },
    endpoint: 'https://global.frcapi.com/api/v2/captcha/siteverify',
    verification: asJson,
  },
};
