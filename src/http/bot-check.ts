/** The widget of the challenge service in a page, and the check of the form that it is in. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'ghtml';
import {
  type BotCheckDeps,
  type BotCheckForm,
  type BotCheckRefusal,
  botCheckOf,
  checkForBots,
} from '../people/bot-check/check.ts';
import { CHALLENGE_SERVICES, type ChallengeService } from '../people/bot-check/services.ts';
import { sentFields } from './form-body.ts';
import type { Look } from './look.ts';
import { setLogLine } from './request-log.ts';
import type { Markup } from './views/page.ts';

/** Inside the form, before its button. */
export type BotCheckPart = { readonly markup: Markup; readonly sources: ChallengeService['sources'] };

/** @returns null: this form asks no service. */
export function botCheckPart(deps: BotCheckDeps, { language, words }: Look, form: BotCheckForm): BotCheckPart | null {
  const policy = botCheckOf(deps, form);
  if (policy === null) return null;
  const { element, script, sources } = CHALLENGE_SERVICES[policy.service];
  const markup = html`<div class="${element}" data-sitekey="${policy.siteKey}" data-language="${language}" lang="${language}"></div>
<noscript><p class="alert">${words.botCheck.needsScript}</p></noscript>
<script src="${script}" async defer></script>`;
  return { markup, sources };
}

/** The text above the repeated form, as a key of its words. */
export type BotCheckProblem = { readonly botCheck: keyof Look['words']['botCheck'] & ('failed' | 'unavailable') };
export type BotCheckRefused = { readonly status: 400 | 503; readonly problem: BotCheckProblem };

export const BOT_REFUSALS: Readonly<Record<BotCheckRefusal, BotCheckRefused>> = {
  bot_check_missing: { status: 400, problem: { botCheck: 'failed' } },
  bot_check_failed: { status: 400, problem: { botCheck: 'failed' } },
  bot_check_unavailable: { status: 503, problem: { botCheck: 'unavailable' } },
};
const RETRY_SECONDS = '10';

/** @returns null: the form may do its work. */
export async function botRefusal(
  deps: BotCheckDeps,
  request: FastifyRequest,
  form: BotCheckForm,
): Promise<BotCheckRefusal | null> {
  const outcome = await checkForBots(deps, form, (field) => sentFields(request, [field])[field] ?? null);
  if (outcome.kind === 'refused') return outcome.reason;
  if (outcome.unchecked) request.log.warn({ form }, 'the challenge service does not answer; the form was admitted');
  return null;
}

/** As `botRefusal`, with its log line and its header. */
export async function refusedAsBot(
  deps: BotCheckDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  form: BotCheckForm,
): Promise<BotCheckRefused | null> {
  const reason = await botRefusal(deps, request, form);
  if (reason === null) return null;
  setLogLine(request, 'refused', { reason, form, address: request.ip });
  const refused = BOT_REFUSALS[reason];
  if (refused.status === 503) reply.header('retry-after', RETRY_SECONDS);
  return refused;
}
