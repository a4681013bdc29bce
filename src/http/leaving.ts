/** Redirects a browser to a federated or delegated sign-in. The first use loads the code for it. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Beginning } from '../people/external/begin.ts';
import type { UpstreamDeps } from '../people/upstream/upstream-sign-in.ts';
import type { FormCheck } from '../protocol/form-purpose.ts';
import { type InteractionRequest, type OpeningDeps, openForSignIn } from '../protocol/interaction.ts';
import { addressKey } from './address-key.ts';
import type { BrowserCookies } from './cookies.ts';
import type { Place } from './external-places.ts';
import { externalRefusal } from './external-refusal.ts';
import { sendInteractionRefused } from './interaction-outcome.ts';
import { setLogLine } from './request-log.ts';
import { seeOther } from './security-headers.ts';

export type LeavingOptions = OpeningDeps & UpstreamDeps;

/** The purpose of the sign-in. */
export type LeavingFor =
  /** A client requests it. `isOurForm`: null, where the page itself redirects. */
  | { readonly interaction: InteractionRequest & { readonly isOurForm: FormCheck | null } }
  /**
   * No client requests it: it leads to a page of this server. `again`: the identity provider has to authenticate the
   * user again.
   */
  | { readonly destination: string | null; readonly again: boolean }
  /** The end-user links the other account to their own. */
  | { readonly linkTo: string };

export function leaving(cookies: BrowserCookies, options: LeavingOptions) {
  const refuse = externalRefusal(options.issuer);

  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    place: Place,
    purpose: LeavingFor,
  ): Promise<FastifyReply> => {
    const { askingInteraction, requestedDirectly } = await import('../people/external/begin.ts');
    const address = addressKey(request.ip, request.socket.remoteAddress ?? '');
    const begins = { browser: browserOf(request, reply), address, interaction: null, linkTo: null, requested: null };
    let beginning: Beginning = begins;
    if ('interaction' in purpose) {
      const opened = await openForSignIn(options, purpose.interaction);
      if (opened.kind === 'refused') return sendInteractionRefused(request, reply, opened);
      const sealed = opened.isStored ? null : purpose.interaction.sealed;
      beginning = { ...begins, interaction: askingInteraction(opened.interaction, sealed) };
    } else if ('linkTo' in purpose) {
      beginning = { ...begins, linkTo: purpose.linkTo };
    } else {
      beginning = { ...begins, requested: requestedDirectly(purpose.destination, purpose.again) };
    }
    const outcome = await leave(place, beginning);
    if (outcome.kind === 'refused') return refuse(request, reply, outcome);
    const where = 'delegated' in place ? 'delegated' : place.upstream;
    setLogLine(request, 'redirected to sign in', { where, interactionId: beginning.interaction?.id ?? null });
    return seeOther(reply, outcome.url.href);
  };

  async function leave(place: Place, beginning: Beginning) {
    if ('delegated' in place) {
      const { beginDelegatedSignIn } = await import('../people/delegated/delegated-sign-in.ts');
      return beginDelegatedSignIn(options, beginning);
    }
    const { beginUpstreamSignIn } = await import('../people/upstream/upstream-sign-in.ts');
    return beginUpstreamSignIn(options, place.upstream, beginning);
  }

  /** A page that redirects immediately may be the first that the browser loads. */
  function browserOf(request: FastifyRequest, reply: FastifyReply): Buffer {
    const known = cookies.hash(request, 'browser');
    if (known !== null) return known;
    const created = cookies.create();
    cookies.set(reply, 'browser', created);
    return created.hash;
  }
}
