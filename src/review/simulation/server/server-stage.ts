/** The stage of one scenario: presents codes and tokens; acts.ts has the actions of people in browsers. */
import { readAuthorizationCode } from '../../../crypto/authorization-code.ts';
import { sha256 } from '../../../crypto/digest.ts';
import { systemRandom } from '../../../crypto/random.ts';
import { type Grant, grantEndReason } from '../../../model/grant.ts';
import { grantIsAlive } from '../../../model/lifetimes.ts';
import { classNamed } from '../../../oauth/authentication-methods.ts';
import { REFUSALS, type TokenReason } from '../../../oauth/refusals.ts';
import { administerClient, administerUser } from '../../../registration/administration.ts';
import { raiseServerEpoch } from '../../../storage/server.ts';
import { type Browser, formOf, type Answer as Page } from '../devices/browser.ts';
import { newProofKey } from '../devices/proof-key.ts';
import type { Acting, Actor, Approving, Presenting, Scenario } from '../scenario.ts';
import type { Answer, Chain, Credential, SessionSeen, UnderWay } from '../stage.ts';
import type { EndName, Fate, OperatorAction } from '../vocabulary.ts';
import { type AtTheClient, act } from './acts.ts';
import { type Reply, underWay } from './fates.ts';
import {
  asksForConsent,
  asksForPassword,
  DONE,
  gives,
  missingOn,
  personOf,
  refused,
  type Surroundings,
  signsInAsAsked,
} from './person.ts';
import { type RegisteredClient, registerClient, registerUser } from './registering.ts';
import { API, type Server } from './server.ts';

type Refused = Extract<Answer, { readonly kind: 'refused' | 'unavailable' }>;
type Sent<Action> = Omit<Action, 'credential'> & { readonly credential: Credential };

/** Where a scenario is played. */
export type Stage = {
  /** Milliseconds since the first step. */
  readonly now: () => number;
  readonly setNow: (milliseconds: number) => void;
  /** Milliseconds after the first step; null: the end is not known yet. */
  readonly endOf: (end: EndName) => Promise<number | null>;
  /** In the browser of this actor; the client gets the code. */
  readonly approve: (actor: Actor, action: Approving) => Promise<{ readonly code: string } | Refused>;
  readonly present: (actor: Actor, action: Sent<Presenting>, fate: Fate | null) => Promise<UnderWay>;
  /** @param credential null: the resource owner ends all that the client may do. */
  readonly revoke: (actor: Actor, credential: Credential | null, fate: Fate | null) => Promise<UnderWay>;
  readonly operate: (action: OperatorAction) => Promise<void>;
  /** In a browser. @param credential null: the password, or an action without a credential. */
  readonly act: (actor: Actor, action: Acting, credential: Credential | null) => Promise<Answer>;
  /** Null: there is no chain yet. */
  readonly chain: () => Promise<Chain | null>;
  /** Null: the browser has no cookie. */
  readonly session: (actor: Actor) => Promise<SessionSeen | null>;
};

type Given = Omit<Surroundings, 'server'> & {
  readonly address: string;
  readonly lifetimes: Scenario['lifetimes'];
};

/** The access on a consent page, by default. */
const ACCESS: Pick<Approving, 'scope' | 'resources' | 'level'> = {
  scope: ['read', 'write'],
  resources: ['api'],
  level: null,
};

export async function serverStage(server: Server, { mails, there, address, lifetimes }: Given): Promise<Stage> {
  const { clock, deps, administration } = server;
  // Under a policy with a retry, the client is public and proves a key: else the retry would concern no token.
  const isBound = lifetimes.provenRetrySeconds !== undefined;
  const client = await registerClient(server, isBound ? { tokenEndpointAuthMethod: 'none', secretMacs: [] } : {});
  const keys = { right: newProofKey(), wrong: newProofKey() };
  const other = await registerClient(server);
  const user = await registerUser(server);
  const person = personOf({ server, mails, there }, user, address);
  const consentPages = new Map<Browser, Page>();
  const newVerifier = () => systemRandom.bytes(32).toString('base64url');
  const verifiers = { right: newVerifier(), wrong: newVerifier() };
  const began = clock.now().getTime();
  let grantId: string | null = null;

  const clientOf = ({ name }: Actor) => (name === 'another client' ? other : client);
  const authorize = (asked: typeof ACCESS) =>
    authorizeUrl(client, sha256(verifiers.right).toString('base64url'), asked);
  const proofBy = ({ name }: Actor, key: Presenting['key']): string | undefined => {
    const by = key ?? (name === 'client' ? 'right' : null);
    return isBound && by !== null ? keys[by].proofAt(`${deps.issuer}/oauth/token`, clock.now()) : undefined;
  };
  const post = (by: RegisteredClient, url: string, form: URLSearchParams, dpop?: string) => {
    const isPublic = isBound && by === client;
    if (isPublic) form.append('client_id', by.clientId);
    return server.app.inject({
      method: 'POST',
      url,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...(!isPublic && { authorization: by.authorization }),
        ...(dpop !== undefined && { dpop }),
      },
      payload: form.toString(),
    });
  };
  const storedGrant = async (): Promise<{ readonly now: Date; readonly grant: Grant } | null> => {
    if (grantId === null) return null;
    const { now, grant } = await deps.store.load({ clientId: client.clientId, grantId });
    if (grant === null) throw new Error('The grant is not found.');
    return { now, grant };
  };

  const atTheClient: AtTheClient = {
    'open the consent page': async (_, actor) => {
      const browser = person.browserOf(actor);
      const page = await browser.get(authorize(ACCESS));
      if (!asksForConsent(page)) return refused(missingOn(page));
      consentPages.set(browser, page);
      return DONE;
    },
    'push a request': async () => {
      const [, form = ''] = authorize(ACCESS).split('?');
      const pushed = await post(client, '/oauth/par', new URLSearchParams(form));
      const { request_uri = '' } = pushed.json<{ readonly request_uri?: string }>();
      const link = `/oauth/authorize?${new URLSearchParams({ client_id: client.clientId, request_uri })}`;
      return gives({ kind: 'request', link });
    },
    openRequest: async (actor, { link }) => {
      const browser = person.browserOf(actor);
      const logged = server.logged();
      const page = await browser.get(link);
      if (page.status !== 200) return refused(await person.reasonSince(actor, logged));
      consentPages.set(browser, page);
      return DONE;
    },
  };
  const changeUser = async (type: 'disableRequested' | 'enableRequested') =>
    void (await administerUser(administration, { id: user.id, change: { type } }));
  const OPERATIONS: Readonly<Record<OperatorAction, () => Promise<void>>> = {
    'disable the resource owner': () => changeUser('disableRequested'),
    'enable the resource owner': () => changeUser('enableRequested'),
    'delete the client': async () =>
      void (await administerClient(administration, client.clientId, { change: { type: 'deletionRequested' } })),
    'register the client again': client.registerAgain,
    recover: async () => void (await raiseServerEpoch(administration.db)),
  };

  return {
    now: () => clock.now().getTime() - began,
    setNow: (milliseconds) => clock.set(new Date(began + milliseconds)),
    endOf: async (end) => {
      const stored = await storedGrant();
      if (stored === null) return null;
      const { createdAt, lastUsedAt } = stored.grant;
      const started = createdAt.getTime() - began;
      if (end === 'code') return started + lifetimes.authorizationCodeLifetimeSeconds * 1000;
      if (lastUsedAt === null) return null;
      if (end === 'absolute') return started + lifetimes.refreshAbsoluteLifetimeSeconds * 1000;
      return lastUsedAt.getTime() - began + lifetimes.refreshIdleLifetimeSeconds * 1000;
    },
    approve: async (actor, action) => {
      const browser = person.browserOf(actor);
      let page = consentPages.get(browser) ?? (await browser.get(authorize(action)));
      // Without a name for the browser, a sign-in in it is no step of its own.
      if (signsInAsAsked(actor) && asksForPassword(page)) page = await person.typePassword(browser, page);
      if (!asksForConsent(page)) return { kind: 'refused', reason: missingOn(page) };
      const logged = server.logged();
      const { url } = await browser.submit(page, { decision: 'approve' });
      const code = URL.canParse(url) ? new URL(url).searchParams.get('code') : null;
      if (code === null) return { kind: 'refused', reason: await person.reasonSince(actor, logged) };
      grantId = readAuthorizationCode(code)?.grantId ?? null;
      consentPages.delete(browser);
      return { code };
    },
    present: (actor, action, fate) =>
      underWay(
        server,
        fate,
        () =>
          post(clientOf(actor), '/oauth/token', tokenRequest(action, client, verifiers), proofBy(actor, action.key)),
        answerOf,
      ),
    revoke: async (actor, credential, fate) => {
      if (credential !== null) {
        const form = new URLSearchParams({ token: presentable(credential) });
        return underWay(server, fate, () => post(clientOf(actor), '/oauth/revoke', form), answerOf);
      }
      const browser = person.browserOf(actor);
      let page = await browser.get('/permissions');
      if (asksForPassword(page)) page = await person.typePassword(browser, page);
      const { csrf = '' } = page.body.includes('name="csrf"') ? formOf(page.body).fields : {};
      const form = new URLSearchParams({ csrf, client_id: client.clientId }).toString();
      const ask = async (): Promise<Reply> => {
        const { status, body } = await browser.send('POST', '/permissions/end', form);
        // The page answers with a redirect, or with a form for those who may not ask.
        return { statusCode: status === 303 || status === 403 ? 200 : status, body };
      };
      return underWay(server, fate, ask, answerOf);
    },
    operate: (action) => OPERATIONS[action](),
    act: (actor, action, credential) =>
      act(person, actor, action, typeof credential === 'string' ? null : credential, atTheClient),
    session: person.session,
    chain: async () => {
      const stored = await storedGrant();
      if (stored === null) return null;
      const { now, grant } = stored;
      const reason = grantEndReason(grant);
      if (reason !== null) return { alive: false, reason };
      const alive = grantIsAlive(grant, lifetimes, now);
      return { alive, reason: alive ? null : 'expired' };
    },
  };
}

function authorizeUrl(client: RegisteredClient, challenge: string, { scope, resources, level }: typeof ACCESS): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: client.redirectUri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    scope: scope.join(' '),
    ...(level && { acr_values: classNamed(level) }),
  });
  for (const one of resources) query.append('resource', API[one]);
  return `/oauth/authorize?${query}`;
}

function presentable(credential: Credential): string {
  if (typeof credential === 'string') return credential;
  throw new Error(`No client presents a ${credential.kind}.`);
}

type Verifiers = Readonly<Record<Presenting['verifier'], string>>;

function tokenRequest(
  { credential, verifier, redirectUri, scope, resources }: Sent<Presenting>,
  client: RegisteredClient,
  verifiers: Verifiers,
): URLSearchParams {
  const presented = presentable(credential);
  const fields =
    readAuthorizationCode(presented) === null
      ? { grant_type: 'refresh_token', refresh_token: presented, scope: scope?.join(' ') }
      : {
          grant_type: 'authorization_code',
          code: presented,
          code_verifier: verifiers[verifier],
          redirect_uri: { right: client.redirectUri, wrong: `${client.redirectUri}/elsewhere`, none: undefined }[
            redirectUri
          ],
        };
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.append(name, value);
  for (const one of resources ?? []) form.append('resource', API[one]);
  return form;
}

/** The precise reason is in the log alone; the client sees the error that belongs to it. */
function answerOf({ statusCode, body }: Reply, lines: ReturnType<Server['since']>): Answer {
  // The failure of a page is logged as the error that it was.
  const reason = lines.flatMap((line) => line.reason ?? line.err?.message ?? []).at(-1) ?? 'nothing in the log';
  if (statusCode >= 500) return { kind: 'unavailable', reason };
  const said = body.startsWith('{') ? JSON.parse(body) : {};
  if (statusCode >= 400) {
    const refusal = REFUSALS[reason as TokenReason];
    const isSame = refusal?.status === statusCode && refusal.error === said.error;
    return { kind: 'refused', reason: isSame ? reason : `${statusCode} ${said.error}, though the log says ${reason}` };
  }
  return said.refresh_token === undefined ? DONE : { kind: 'gives', what: 'tokens', credential: said.refresh_token };
}
