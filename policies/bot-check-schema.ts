/** The schema of `bot-check.yaml`: the challenge service that tells people and bots apart, and the forms that ask it. */
import { z } from 'zod';
import { expecting } from './expectations.ts';

export const BOT_CHECK_SERVICES = ['turnstile', 'hcaptcha', 'friendly-captcha'] as const;
export const BOT_CHECK_FORMS = ['signIn', 'signUp', 'passwordReset'] as const;

/** `bot-check.yaml`. Without the file, no form asks a challenge service. */
export const botCheckSchema = z.strictObject({
  service: z
    .enum(BOT_CHECK_SERVICES)
    .describe('Cloudflare Turnstile, hCaptcha, or Friendly Captcha (version 2). Pages load its script.'),
  siteKey: expecting(z.string().regex(/^[\x21-\x7e]{1,200}$/), '1 to 200 characters of %x21-7E').describe(
    'The public key of this site at the service.',
  ),
  secretEnvironment: expecting(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), 'the name of an environment variable')
    .default('BOT_CHECK_SECRET')
    .describe('The environment variable that holds the secret key of the service.'),
  forms: expecting(
    z
      .array(z.enum(BOT_CHECK_FORMS))
      .min(1)
      .refine((forms) => new Set(forms).size === forms.length),
    `a list of different forms: ${BOT_CHECK_FORMS.join(', ')}`,
  ).describe('The forms that need the answer of the service.'),
  whenUnavailable: z
    .enum(['admit', 'refuse'])
    .describe('Whether a form passes (admit) or not (refuse) while the service does not answer.'),
  endpoint: expecting(
    z.string().refine((value) => URL.canParse(value) && new URL(value).protocol === 'https:'),
    'an https URL',
  )
    .optional()
    .describe(
      'Where the server verifies answers. Default: the endpoint of the service, such as https://global.frcapi.com/api/v2/captcha/siteverify.',
    ),
});

export type BotCheckPolicy = z.output<typeof botCheckSchema>;
export type BotCheckForm = (typeof BOT_CHECK_FORMS)[number];
export type BotCheckService = (typeof BOT_CHECK_SERVICES)[number];
