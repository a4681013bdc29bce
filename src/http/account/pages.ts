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

/** The signed-in user in a section, with the request and the ways to answer it. */
export type Visit = AccountVisit & {
  readonly look: Look;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Sends the page of the section. `script`: the hash of the page's one script. */
  readonly send: (
    body: AccountBody & { readonly status?: number; readonly script?: string | undefined },
  ) => FastifyReply;
  /** The hidden field `csrf` of the section's forms. */
  readonly csrf: () => string;
  /** To the page of the section. @param query the result of the last action, for the page. Absent: none. */
  readonly goBack: (query?: string) => FastifyReply;
  /** Asks for a sign-in, which returns to the section. */
  readonly signIn: () => FastifyReply;
  /** The path of the section's page, or of a form below it. */
  readonly pathOf: (below?: string) => string;
};

type Visited = (visit: Visit) => FastifyReply | Promise<FastifyReply>;

export type AccountPages = {
  /** For GET: the page of a section. Null: the overview. */
  readonly page: (section: SectionId | null, show: Visited) => RouteHandlerMethod;
  /** For POST: a form of a section, after the check of its token. */
  readonly form: (section: SectionId, submit: Visited) => RouteHandlerMethod;
};

export function accountPages(options: AccountPagesOptions): AccountPages {
  const { issuer, cookies, csrf } = options;
  const isAvailable = (section: SectionId | null) =>
    section === null ||
    sectionOf(section).isAvailable({ configuration: options.configuration(), sendsMail: options.sendsMail() });

  const entering =
    (section: SectionId | null, isForm: boolean, visited: Visited): RouteHandlerMethod =>
    async (request, reply) => {
      if (!isAvailable(section)) {
        reply.callNotFound();
        return reply;
      }
      const entry: AccountEntry = await enterAccount(options, {
        section: section ?? 'overview',
        cookie: cookies.hash(request, 'session'),
        needsRecentSignIn: section !== null && sectionOf(section).needsRecentSignIn,
        isOurForm: isForm ? csrf.checkOf(request) : null,
      });
      const signIn = () => seeOther(reply, pathUnder(issuer, signInPath(section)));
      switch (entry.kind) {
        case 'entered': {
          const { session, formPurpose } = entry.visit;
          const look = await lookOf(request, { userId: session.userId });
          const pathOf = (below = '') =>
            pathUnder(issuer, `${section === null ? ACCOUNT : sectionOf(section).path}${below}`);
          return visited({
            ...entry.visit,
            look,
            request,
            reply,
            send: ({ status = 200, script, ...body }) =>
              sendPage(reply, status, accountPage(frameOf(look, session.username, section), body), script),
            csrf: () => csrf.token(request, reply, formPurpose),
            goBack: (query) => seeOther(reply, `${pathOf()}${query === undefined ? '' : `?${query}`}`),
            signIn,
            pathOf,
          });
        }
        case 'formRefused':
          return refuseForm(request, reply);
        case 'signInRequired':
          return signIn();
        case 'signInAgainRequired':
          setLogLine(request, 'sign-in asked for again', { section });
          return signIn();
      }
    };

  const frameOf = (look: Look, username: string, current: SectionId | null) => ({
    look,
    username,
    overview: pathUnder(issuer, ACCOUNT),
    signOut: pathUnder(issuer, '/oauth/logout'),
    sections: SECTIONS.filter(({ id }) => isAvailable(id)).map(({ id, path }) => ({
      id,
      href: pathUnder(issuer, path),
    })),
    current,
  });

  return {
    page: (section, show) => entering(section, false, show),
    form: (section, submit) => entering(section, true, submit),
  };
}
