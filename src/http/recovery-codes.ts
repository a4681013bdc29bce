/** Sends the page of the recovery codes. The server cannot show them again. */
import type { FastifyReply } from 'fastify';
import type { Look } from './look.ts';
import { sendPage } from './security-headers.ts';
import { RECOVERY_CODES_SCRIPT_SOURCE, type RecoveryCodesView, recoveryCodesPage } from './views/recovery-codes.ts';

export type RecoveryCodesDeps = { readonly issuer: string; readonly now: () => Date };
export type RecoveryCodesShown = Pick<RecoveryCodesView, 'codes' | 'username' | 'goOn'> &
  Partial<Pick<RecoveryCodesView, 'firstPassword'>>;

export function sendRecoveryCodes(
  { issuer, now }: RecoveryCodesDeps,
  reply: FastifyReply,
  look: Look,
  shown: RecoveryCodesShown,
): FastifyReply {
  const { host } = new URL(issuer);
  const service = { name: look.brand.organization ?? host, host: host.replaceAll(':', '-') };
  const html = recoveryCodesPage(look, { firstPassword: null, ...shown, service, madeAt: now() });
  return sendPage(reply, 200, html, RECOVERY_CODES_SCRIPT_SOURCE);
}
