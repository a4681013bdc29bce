/**
 * The part that the routes of all sections share: the session, the redirect to the sign-in, and the frame of the page.
 */
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { pathUnder } from '../../oauth/urls.ts';
import { type AccountEntry, type AccountVisit, enterAccount } from '../../people/account/enter.ts';
import type { SessionDeps } from '../../protocol/browser-session.ts';
import { refuseForm } from '../form-refused.ts';
import { type Look, lookOf } from '../look.ts';
import type { PageParts } from '../page-parts.ts';
import { setLogLine } from '../request-log.ts';
import { seeOther, sendPage } from '../security-headers.ts';
import { type AccountBody, accountPage } from '../views/account/frame.ts';
import { ACCOUNT, SECTIONS, type SectionId, sectionOf, signInPath } from './sections.ts';

export type AccountPagesOptions = SessionDeps &
  PageParts & {
    readonly issuer: string;
    /** Whether the server sends mails now. */
    readonly sendsMail: () => boolean;
  };

/** The signed-in user, and the look of the pages. */
export type Visit = AccountVisit & { readonly look: Look };

type Visited = (visit: Visit, request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>;

export type AccountPages = {
  /** For GET: the page of a section. */
  readonly page: (section: SectionId | null, show: Visited) => RouteHandlerMethod;
  /**
   * For POST: a form of a section, after the check of its token.
   *
   * @param needsRecentSignIn absent: the section's own rule. A user without a recent sign-in signs in first, and sends
   * the form again.
   */
  readonly form: (
    section: SectionId,
    submit: Visited,
    options?: { readonly needsRecentSignIn?: boolean },
  ) => RouteHandlerMethod;
  readonly send: (
    reply: FastifyReply,
    visit: Visit,
    section: SectionId | null,
    /** `script`: the hash of the page's one script. */
    body: AccountBody & { readonly status?: number; readonly script?: string | undefined },
  ) => FastifyReply;
  /** The hidden field `csrf` of the forms of this section. */
  readonly csrf: (request: FastifyRequest, reply: FastifyReply, visit: AccountVisit) => string;
  /** @param query the result of the last action, for the page. Absent: none. */
  readonly goTo: (reply: FastifyReply, section: SectionId, query?: string) => FastifyReply;
  /** The path of a section's page, or of a form below it. */
  readonly pathOf: (section: SectionId, below?: string) => string;
};

export function accountPages(options: AccountPagesOptions): AccountPages {
  const { issuer, cookies, csrf } = options;
  const isAvailable = (section: SectionId | null) =>
    section === null ||
    sectionOf(section).isAvailable({ configuration: options.configuration(), sendsMail: options.sendsMail() });

  async function enter(
    request: FastifyRequest,
    reply: FastifyReply,
    visited: Visited,
    asked: {
      readonly section: SectionId | null;
      readonly needsRecentSignIn: boolean;
      readonly isForm: boolean;
    },
  ): Promise<FastifyReply> {
    const { section, needsRecentSignIn, isForm } = asked;
    if (!isAvailable(section)) {
      reply.callNotFound();
      return reply;
    }
    const entry: AccountEntry = await enterAccount(options, {
      section: section ?? 'overview',
      cookie: cookies.hash(request, 'session'),
      needsRecentSignIn,
      isOurForm: isForm ? csrf.checkOf(request) : null,
    });
    switch (entry.kind) {
      case 'entered': {
        const { visit } = entry;
        const look = await lookOf(request, { userId: visit.session.userId });
        return visited({ ...visit, look }, request, reply);
      }
      case 'formRefused':
        return refuseForm(request, reply);
      case 'signInRequired':
        return seeOther(reply, pathUnder(issuer, signInPath(section)));
      case 'signInAgainRequired':
        setLogLine(request, 'sign-in asked for again', { section });
        return seeOther(reply, pathUnder(issuer, signInPath(section)));
    }
  }

  const pathOf = (section: SectionId, below = '') => pathUnder(issuer, `${sectionOf(section).path}${below}`);

  return {
    page: (section, show) => (request, reply) =>
      enter(request, reply, show, {
        section,
        needsRecentSignIn: section !== null && sectionOf(section).needsRecentSignIn,
        isForm: false,
      }),
    form:
      (section, submit, { needsRecentSignIn = sectionOf(section).needsRecentSignIn } = {}) =>
      (request, reply) =>
        enter(request, reply, submit, { section, needsRecentSignIn, isForm: true }),
    send: (reply, { look, session: { username } }, section, { status = 200, script, ...body }) => {
      const frame = {
        look,
        username,
        overview: pathUnder(issuer, ACCOUNT),
        signOut: pathUnder(issuer, '/oauth/logout'),
        sections: SECTIONS.filter(({ id }) => isAvailable(id)).map(({ id, path }) => ({
          id,
          href: pathUnder(issuer, path),
        })),
        current: section,
      };
      return sendPage(reply, status, accountPage(frame, body), script);
    },
    csrf: (request, reply, { formPurpose }) => csrf.token(request, reply, formPurpose),
    goTo: (reply, section, query) => seeOther(reply, `${pathOf(section)}${query === undefined ? '' : `?${query}`}`),
    pathOf,
  };
}
