/** The page that asks for a second factor, its set-up, and the recovery codes. */
import { html } from 'ghtml';
import type { SetUp } from '../../people/second-factor/set-up.ts';
import type { Look } from '../look.ts';
import { emphasised } from './filled.ts';
import { timeSpan } from './instants.ts';
import { type Markup, page } from './page.ts';
import { type Progress, progressLine } from './progress.ts';

export type FactorProblem = keyof Look['words']['factor']['refused'];

export type FactorPageView = {
  /** The URLs of the page's forms: the code, and the others below it. */
  readonly action: (below?: string) => string;
  readonly csrf: string;
  readonly clientName: string | null;
  readonly username: string;
  /** The requested step: a factor of the account, the set-up of an app, or only a passkey. */
  readonly asks: 'factor' | 'setUp' | 'passkey';
  /** A client requests a stronger class than the sign-in has. */
  readonly isStepUp: boolean;
  readonly hasPasskey: boolean;
  readonly hasApp: boolean;
  readonly hasRecoveryCodes: boolean;
  readonly problem: FactorProblem | null;
  /** The link to sign in as another user. */
  readonly another: string;
  readonly mayDecline: boolean;
  /** The page for a user who has lost all of these. Null: none. */
  readonly lost: string | null;
  /** The page that adds passkeys. */
  readonly methods: string;
  /** The passkey button, with its script. Null: none. */
  readonly passkey: Markup | null;
  /** The lifetime of the trust that the page offers. Null: none. */
  readonly trustSeconds: number | null;
  readonly progress: Progress | null;
};

export function factorPage(look: Look, view: FactorPageView): string {
  const words = look.words.factor;
  const { action, csrf, clientName, problem, asks, mayDecline } = view;
  return page(
    look,
    problem === null ? words.title : words.titleAfterProblem,
    html`!${progressLine(look, view.progress)}
<h1>${words.title}</h1>
!${clientName === null ? '' : html`<p class="quiet">!${emphasised(words.forClient, { client: clientName })}</p>`}
<p>!${emphasised(words.signedInAs, { username: view.username })} !${stepUp(look, view)}</p>
!${alert(look, problem)}
!${asks === 'factor' && view.hasApp ? codeForm(look, view) : ''}
!${asks === 'setUp' ? setUpForm(look, view) : ''}
!${asks === 'factor' && view.hasPasskey && !view.hasApp ? passkeyHint(look) : ''}
!${view.passkey ?? ''}
!${asks === 'factor' && view.hasRecoveryCodes ? recoveryCodeForm(look, view) : ''}
!${asks === 'passkey' && !view.hasPasskey ? html`<p>${words.noPasskey} <a href="${view.methods}">${words.addPasskey}</a></p>` : ''}
!${
      mayDecline
        ? html`<form method="post" action="${action('/decline')}">
<input type="hidden" name="csrf" value="${csrf}">
<p class="quiet">${words.declineHint}</p>
<button type="submit" class="secondary">${words.decline}</button>
</form>`
        : ''
    }
!${asks === 'setUp' || view.lost === null ? '' : html`<p><a href="${view.lost}">${look.words.email.lostFactors.link}</a></p>`}
<p><a href="${view.another}">${words.another}</a></p>`,
  );
}

function stepUp(look: Look, { isStepUp, clientName, asks }: FactorPageView): Markup {
  const words = look.words.factor;
  if (!isStepUp || clientName === null) return '';
  return emphasised(asks === 'passkey' ? words.passkeyOnly : words.stronger, { client: clientName });
}

const alert = (look: Look, problem: FactorProblem | null): Markup =>
  problem === null ? '' : html`<p class="alert" role="alert" id="problem">${look.words.factor.refused[problem]}</p>`;

const codeForm = (look: Look, { action, csrf, problem, trustSeconds }: FactorPageView): Markup =>
  html`<form method="post" action="${action()}">
<input type="hidden" name="csrf" value="${csrf}">
<label for="code">${look.words.factor.code}</label>
!${codeField(problem)}
!${trustSeconds === null ? '' : trustBox(look, trustSeconds, 'trust')}
<button type="submit">${look.words.factor.submit}</button>
</form>`;

/** In each form that proves a factor which stays. */
export const trustBox = (look: Look, trustSeconds: number, id: string): Markup =>
  html`<p class="check"><input type="checkbox" id="${id}" name="trust" value="yes">
<label for="${id}">${look.words.factor.trust({ time: timeSpan(look, trustSeconds) })}</label></p>`;

/** Six digits, for phones too. */
const codeField = (problem: FactorProblem | null): Markup =>
  html`<input type="text" id="code" name="code" inputmode="numeric" autocomplete="one-time-code" autocapitalize="off" spellcheck="false" required maxlength="16" autofocus !${describedBy(problem)}>`;

const describedBy = (problem: FactorProblem | null): Markup => (problem === null ? '' : 'aria-describedby="problem"');

const passkeyHint = (look: Look): Markup => html`<p>${look.words.factor.passkeyIsNext}</p>
<noscript><p>${look.words.factor.passkeyNeedsScript}</p></noscript>`;

/** Letters and digits. Browsers offer no stored value. */
const recoveryCodeForm = (look: Look, { action, csrf }: FactorPageView): Markup =>
  html`<form method="post" action="${action()}">
<input type="hidden" name="csrf" value="${csrf}">
<label for="recovery-code">${look.words.factor.recoveryCode}</label>
<input type="text" id="recovery-code" name="code" inputmode="text" autocomplete="off" autocapitalize="characters" spellcheck="false" required maxlength="32">
<button type="submit" class="secondary">${look.words.factor.useRecoveryCode}</button>
</form>`;

const setUpForm = (look: Look, { action, csrf }: FactorPageView): Markup =>
  html`<p>${look.words.factor.none}</p>
<form method="post" action="${action('/set-up')}">
<input type="hidden" name="csrf" value="${csrf}">
<button type="submit">${look.words.factor.begin}</button>
</form>`;

export type SetUpView = {
  /** The URL for the code. */
  readonly action: string;
  readonly csrf: string;
  readonly setUp: SetUp;
  readonly problem: FactorProblem | null;
};

export function setUpPage(look: Look, { action, csrf, setUp, problem }: SetUpView): string {
  const words = look.words.factor.setUp;
  return page(
    look,
    words.title,
    html`<h1>${words.title}</h1>
!${alert(look, problem)}
<p>${words.scan}</p>
<figure class="qr" role="img" aria-label="${words.pictureOf}">!${setUp.qrCode}</figure>
<p>${words.type}</p>
<p><code id="secret">${setUp.secretText}</code></p>
<form method="post" action="${action}">
<input type="hidden" name="csrf" value="${csrf}">
<input type="hidden" name="factor" value="${setUp.id}">
<label for="code">${words.code}</label>
!${codeField(problem)}
<button type="submit">${words.submit}</button>
</form>`,
  );
}
