/** /account/profile: the claims about the end-user that they may edit. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  editProfile,
  type ProfileDeps,
  type ProfileForm,
  type ProfileOutcome,
  viewProfile,
} from '../../people/account/profile.ts';
import { everyField, queryOf } from '../form-body.ts';
import { refuseForm } from '../form-refused.ts';
import { setLogLine } from '../request-log.ts';
import { FIELD_PREFIX, profileForm } from '../views/account/profile.ts';
import type { AccountPages, Visit } from './pages.ts';
import type { SectionHandlers } from './route-names.ts';

export type ProfileRoutesOptions = ProfileDeps;

const SECTION = 'profile';
const SAVED = 'saved';
const NOT_CLAIMS = ['csrf', 'version'];

export function profileHandlers(pages: AccountPages, options: ProfileRoutesOptions): SectionHandlers<'profile'> {
  async function show(
    visit: Visit,
    { outcome = null, form = null }: { readonly outcome?: Refused | null; readonly form?: ProfileForm | null } = {},
  ): Promise<FastifyReply> {
    const profile = await viewProfile(options, visit.session);
    if (profile === null) return visit.signIn();
    const { accountProfile: words } = visit.look.words;
    // After another change, the page shows what is stored now.
    const typed = outcome?.reason === 'invalid_fields' ? form?.typed : undefined;
    return visit.send({
      status: outcome === null ? 200 : STATUS[outcome.reason],
      done: outcome === null && queryOf(visit.request) === SAVED ? words.saved : null,
      problem: outcome && words.refused[outcome.reason],
      content: profileForm(visit.look, {
        action: visit.pathOf(),
        csrf: visit.csrf(),
        ...profile,
        typed: typed ?? new Map(),
        misfits: outcome?.misfits ?? [],
      }),
    });
  }

  return {
    'GET /account/profile': pages.page(SECTION, (visit) => show(visit)),
    'POST /account/profile': pages.form(SECTION, async (visit) => {
      const { request, reply } = visit;
      const form = formOf(request);
      if (form === null) return refuseForm(request, reply);
      const outcome = await editProfile(options, visit, form);
      const { userId } = visit.session;
      switch (outcome.kind) {
        case 'changed':
          setLogLine(request, 'profile changed', { userId, claims: outcome.names });
          return visit.goBack(SAVED);
        case 'refused':
          setLogLine(request, 'refused', { userId, reason: outcome.reason, claims: outcome.misfits });
          return show(visit, { outcome, form });
        case 'signInRequired':
          return visit.signIn();
      }
    }),
  };
}

type Refused = Extract<ProfileOutcome, { kind: 'refused' }>;

const STATUS: Readonly<Record<Refused['reason'], number>> = {
  invalid_fields: 400,
  field_unknown: 400,
  changed_meanwhile: 409,
};

/** A name without the prefix is a claim of none: the use case refuses it. Null: too many fields. */
function formOf(request: FastifyRequest): ProfileForm | null {
  const sent = everyField(request);
  if (sent === null) return null;
  const claimOf = (name: string) => (name.startsWith(FIELD_PREFIX) ? name.slice(FIELD_PREFIX.length) : '');
  const claims = [...sent.fields].filter(([name]) => !NOT_CLAIMS.includes(name));
  return {
    version: sent.fields.get('version') ?? null,
    typed: new Map(claims.map(([name, value]) => [claimOf(name), value])),
    malformed: sent.malformed === null ? null : claimOf(sent.malformed),
  };
}
