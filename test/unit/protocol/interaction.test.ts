/** From the authorization request to the sign-out, without HTTP: a browser is the hashes of its cookies. */

import { randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handleAuthorizationRequest } from '../../../src/protocol/authorize.ts';
import { findSession } from '../../../src/protocol/browser-session.ts';
import {
  chooseAccount,
  decideConsent,
  signInToInteraction,
  viewInteraction,
} from '../../../src/protocol/interaction.ts';
import { decideLogout, handleLogoutRequest, handleLogoutRequestByPost } from '../../../src/protocol/logout.ts';
import { submitEndPermission, viewPermissions } from '../../../src/protocol/permissions.ts';
import { interactions } from '../../../src/storage/schema.ts';
import { authorizeUrl, makeClient, makePkce, makeUser, PASSWORD, REDIRECT_URI } from '../../support/actors.ts';
import { ISSUER } from '../../support/app.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const ourForm = () => true;
const forged = () => false;

describe('the use cases of the pages', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
  });
  afterAll(() => scene.close());

  const aBrowser = () => ({ browser: randomBytes(32), session: randomBytes(32) });
  type TestBrowser = ReturnType<typeof aBrowser>;
  const encodedRequest = async (change = {}) => {
    const client = await makeClient(scene);
    const encoded = authorizeUrl(client, makePkce(), { state: 'untouched', ...change }).split('?')[1] ?? '';
    return { client, encoded };
  };

  async function begin(browser: TestBrowser, change = {}) {
    const { client, encoded } = await encodedRequest(change);
    const outcome = await handleAuthorizationRequest(scene.deps, {
      encoded,
      address: () => '198.51.100.7',
      cookies: browser,
    });
    if (outcome.kind !== 'continued') throw new Error(`the interaction did not begin: ${outcome.kind}`);
    expect(outcome).toMatchObject({ reason: null, clientId: client.clientId });
    return { client, id: outcome.interactionId, sealed: outcome.sealed };
  }

  const form = (browser: TestBrowser, username: string, password = PASSWORD) => ({
    username,
    password,
    address: '192.0.2.1',
    cookie: { old: null, new: browser.session, browser: browser.browser },
    userAgent: null,
    gone: new AbortController().signal,
  });

  async function beginSignedIn(browser: TestBrowser) {
    const begun = await begin(browser);
    const user = await makeUser(scene);
    const request = { id: begun.id, sealed: begun.sealed, ...browser, isOurForm: ourForm };
    const outcome = await signInToInteraction(scene.deps, { ...request, form: form(browser, user.username) });
    expect(outcome).toMatchObject({ kind: 'signedIn', userId: user.id, step: { kind: 'continued', reason: null } });
    return { ...begun, user, request };
  }

  it('a request without cookies is repeated by GET, and begins no interaction', async () => {
    const { client, encoded } = await encodedRequest();
    const outcome = await handleAuthorizationRequest(scene.deps, {
      encoded,
      address: () => '198.51.100.7',
      cookies: null,
    });
    if (outcome.kind !== 'repeatByGet') throw new Error(outcome.kind);
    expect(Object.fromEntries(new URLSearchParams(outcome.query))).toEqual(
      Object.fromEntries(new URLSearchParams(encoded)),
    );
    const begun = await scene.database.drizzle
      .select({ id: interactions.id })
      .from(interactions)
      .where(eq(interactions.clientId, client.clientId));
    expect(begun).toEqual([]);
  });

  it('an error is redirected to a verified redirect URI with state and iss; an unverified request is not redirected', async () => {
    const { client, encoded } = await encodedRequest({ response_type: 'token' });
    expect(
      await handleAuthorizationRequest(scene.deps, { encoded, address: () => '198.51.100.7', cookies: aBrowser() }),
    ).toMatchObject({
      kind: 'invalid',
      clientId: client.clientId,
      reason: 'response_type_unsupported',
      response: {
        redirectUri: REDIRECT_URI,
        transport: 'query',
        parameters: { error: 'unsupported_response_type', state: 'untouched', iss: ISSUER },
      },
    });
    const other = await encodedRequest({ redirect_uri: `${REDIRECT_URI}/elsewhere` });
    const outcome = await handleAuthorizationRequest(scene.deps, {
      encoded: other.encoded,
      address: () => '198.51.100.7',
      cookies: aBrowser(),
    });
    expect(outcome).toMatchObject({ kind: 'unverified', reason: 'redirect_uri_mismatch' });
    expect(outcome).not.toHaveProperty('response');
  });

  it('sign-in, consent, code', async () => {
    const browser = aBrowser();
    const { client, id, user, request } = await beginSignedIn(browser);
    const view = await viewInteraction(scene.deps, { id, sealed: null, ...browser, wantsAnotherAccount: false });
    expect(view).toMatchObject({ kind: 'consent', clientName: client.clientName, username: user.username });
    const outcome = await decideConsent(scene.deps, { ...request, decision: 'approve' });
    expect(outcome).toMatchObject({
      kind: 'approved',
      clientId: client.clientId,
      response: {
        redirectUri: REDIRECT_URI,
        parameters: { code: expect.any(String), state: 'untouched', iss: ISSUER },
      },
    });
    expect(
      await viewInteraction(scene.deps, { id, sealed: null, ...browser, wantsAnotherAccount: false }),
    ).toMatchObject({
      kind: 'refused',
      reason: 'interaction_completed',
    });
  });

  it('every function rejects another browser, and a browser without its cookie', async () => {
    const { id, sealed } = await begin(aBrowser());
    for (const browser of [randomBytes(32), null]) {
      const request = { id, sealed, browser, session: null, isOurForm: ourForm };
      const refused = { kind: 'refused', reason: 'another_browser', interactionId: id };
      const { username } = scene.user;
      expect(await viewInteraction(scene.deps, { ...request, wantsAnotherAccount: false })).toEqual(refused);
      expect(await signInToInteraction(scene.deps, { ...request, form: form(aBrowser(), username) })).toEqual(refused);
      expect(await chooseAccount(scene.deps, request)).toEqual(refused);
      expect(await decideConsent(scene.deps, { ...request, decision: 'approve' })).toEqual(refused);
    }
  });

  it('every form is checked for the purpose of its page', async () => {
    const browser = aBrowser();
    const { id, request } = await beginSignedIn(browser);
    const view = await viewInteraction(scene.deps, { id, sealed: null, ...browser, wantsAnotherAccount: true });
    if (view.kind !== 'signIn') throw new Error(view.kind);
    const refused = { kind: 'refused', reason: 'form_refused', interactionId: id };
    for (const isOurForm of [forged, (purpose: string) => purpose !== view.formPurpose]) {
      const submitted = { ...request, isOurForm };
      const { username } = scene.user;
      expect(await signInToInteraction(scene.deps, { ...submitted, form: form(browser, username) })).toEqual(refused);
      expect(await chooseAccount(scene.deps, submitted)).toEqual(refused);
      expect(await decideConsent(scene.deps, { ...submitted, decision: 'approve' })).toEqual(refused);
    }
    for (const decision of [null, '', 'maybe', 'consented']) {
      expect(await decideConsent(scene.deps, { ...request, decision })).toEqual(refused);
    }
    expect(await decideConsent(scene.deps, { ...request, decision: 'deny' })).toMatchObject({
      kind: 'denied',
      error: 'access_denied',
    });
  });

  it('an account cannot be chosen without its session: the sign-in form is shown', async () => {
    const browser = aBrowser();
    const { id, sealed, client } = await begin(browser, { prompt: 'select_account' });
    const request = { id, sealed, ...browser, isOurForm: ourForm };
    expect(await chooseAccount(scene.deps, request)).toEqual({
      kind: 'signInInstead',
      interactionId: id,
      sealed,
      clientId: client.clientId,
    });
  });

  it('a wrong password shows the form again, and keeps the interaction', async () => {
    const browser = aBrowser();
    const { id, sealed } = await begin(browser);
    const { username } = scene.user;
    const request = { id, sealed, ...browser, isOurForm: ourForm };
    expect(await signInToInteraction(scene.deps, { ...request, form: form(browser, username, 'wrong') })).toMatchObject(
      {
        kind: 'signInRefused',
        refused: { reason: 'credentials_mismatch' },
        view: { kind: 'signIn', interactionId: id, sealed, username, account: null, again: null },
      },
    );
    expect(await findSession(scene.deps, browser.session)).toBeNull();
  });

  it('a sign-out is decided by a form for this session', async () => {
    const browser = aBrowser();
    const { user } = await beginSignedIn(browser);
    expect(await handleLogoutRequestByPost(scene.deps, 'state=kept')).toEqual({
      kind: 'repeatByGet',
      query: 'state=kept',
    });
    const view = await handleLogoutRequest(scene.deps, '', browser.session);
    if (view.kind !== 'ask') throw new Error(view.kind);
    const submit = (encoded: string, isOurForm: (purpose: string) => boolean) =>
      decideLogout(scene.deps, { encoded, cookie: browser.session, isOurForm });
    expect(await submit('decision=approve', (purpose) => purpose !== view.formPurpose)).toEqual({
      kind: 'formRefused',
    });
    expect(await submit('decision=perhaps', ourForm)).toEqual({ kind: 'formRefused' });
    expect(await submit('decision=deny', ourForm)).toMatchObject({
      kind: 'staysSignedIn',
      userId: user.id,
      back: null,
    });
    expect(await findSession(scene.deps, browser.session)).not.toBeNull();
    expect(await submit('decision=approve', (purpose) => purpose === view.formPurpose)).toMatchObject({
      kind: 'signedOut',
      userId: user.id,
      next: null,
    });
    expect(await findSession(scene.deps, browser.session)).toBeNull();
    expect(await submit('decision=approve', ourForm)).toMatchObject({ kind: 'notSignedIn' });
  });

  it('permissions are shown to a session, and revoked by a form of it', async () => {
    const browser = aBrowser();
    const { client, request, user } = await beginSignedIn(browser);
    await decideConsent(scene.deps, { ...request, decision: 'approve' });
    expect(await viewPermissions(scene.deps, null)).toEqual({ kind: 'signInRequired' });
    const view = await viewPermissions(scene.deps, browser.session);
    if (view.kind !== 'permissions') throw new Error(view.kind);
    expect(view).toMatchObject({ username: user.username, allowed: [{ clientId: client.clientId }], more: false });
    const submit = (isOurForm: (purpose: string) => boolean, cookie: Buffer | null = browser.session) =>
      submitEndPermission(scene.deps, { clientId: client.clientId, cookie, isOurForm });
    expect(await submit(ourForm, null)).toEqual({ kind: 'signInRequired' });
    expect(await submit((purpose) => purpose !== view.formPurpose)).toEqual({ kind: 'formRefused' });
    expect(await submit((purpose) => purpose === view.formPurpose)).toEqual({
      kind: 'ended',
      clientId: client.clientId,
      userId: user.id,
      grants: 1,
    });
  });

  it('an unknown id is rejected', async () => {
    const id = scene.deps.random.uuid();
    const request = { id, sealed: null, ...aBrowser(), isOurForm: ourForm };
    const unknown = { kind: 'refused', reason: 'interaction_unknown' };
    expect(await viewInteraction(scene.deps, { ...request, wantsAnotherAccount: false })).toEqual(unknown);
    expect(await chooseAccount(scene.deps, request)).toEqual(unknown);
  });
});
