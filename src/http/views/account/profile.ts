/** The form of the profile. A picture stays an address here: the page loads no image of another server. */
import { html } from 'ghtml';
import type { FieldKind, ProfileField } from '../../../people/account/profile-fields.ts';
import type { Look } from '../../look.ts';
import type { Markup } from '../page.ts';

/** Before the name of the claim, in the name of its field. */
export const FIELD_PREFIX = 'claim.';

export type ProfileView = {
  readonly action: string;
  readonly csrf: string;
  readonly version: string;
  readonly fields: readonly ProfileField[];
  /** The values that were refused with the form, by claim. */
  readonly typed: ReadonlyMap<string, string>;
  /** The claims with a problem beside their field. */
  readonly misfits: readonly string[];
};

export const profileForm = (look: Look, view: ProfileView): Markup => html`<p>${look.words.accountProfile.about}</p>
<form method="post" action="${view.action}" novalidate>
<input type="hidden" name="csrf" value="${view.csrf}">
<input type="hidden" name="version" value="${view.version}">
!${view.fields.map((one) => field(look, view, one)).join('\n')}
<button type="submit">${look.words.accountProfile.save}</button>
</form>`;

type Labels = Look['words']['accountProfile']['labels'];

function field(look: Look, { typed, misfits }: ProfileView, one: ProfileField): Markup {
  const words = look.words.accountProfile;
  const id = `${FIELD_PREFIX}${one.name}`;
  const isMisfit = misfits.includes(one.name);
  const hint = hintOf(words.hints, one.kind);
  const described = [...(isMisfit ? [`${id}-problem`] : []), ...(hint === null ? [] : [`${id}-hint`])];
  const about = html`!${isMisfit ? 'aria-invalid="true"' : ''} !${described.length === 0 ? '' : html`aria-describedby="${described.join(' ')}"`}`;
  const value = typed.get(one.name) ?? one.value;
  return html`<div class="field">
<label for="${id}">${one.label ?? words.labels[one.name as keyof Labels]}</label>
!${isMisfit ? html`<p class="problem" id="${id}-problem">${problemOf(words.problems, one)}</p>` : ''}
!${one.kind === 'choice' ? choice(one, { id, value, about }) : input(one, { id, value, about })}
!${hint === null ? '' : html`<p class="quiet hint" id="${id}-hint">${hint}</p>`}
</div>`;
}

function problemOf(problems: Look['words']['accountProfile']['problems'], { kind, atMost }: ProfileField): string {
  const says = problems[kind];
  return typeof says === 'string' ? says : says({ atMost });
}

type Shown = { readonly id: string; readonly value: string; readonly about: Markup };

const input = ({ name, kind, atMost }: ProfileField, { id, value, about }: Shown): Markup =>
  html`<input type="text" inputmode="${INPUT_MODES[kind] ?? 'text'}" id="${id}" name="${id}" value="${value}" maxlength="${String(atMost)}" autocomplete="${AUTOCOMPLETE[name] ?? 'off'}" !${about}>`;

/** A stored value that is no choice any more stays, until the end-user chooses another. */
function choice({ choices, value: stored }: ProfileField, { id, value, about }: Shown): Markup {
  const all = new Set(['', ...(stored === '' ? [] : [stored]), ...choices]);
  const options = [...all].map(
    (one) => html`<option value="${one}" !${one === value ? 'selected' : ''}>${one === '' ? '—' : one}</option>`,
  );
  return html`<select class="choice" id="${id}" name="${id}" !${about}>!${options.join('')}</select>`;
}

type Hints = Look['words']['accountProfile']['hints'];
const hintOf = (hints: Hints, kind: FieldKind): string | null => (kind in hints ? hints[kind as keyof Hints] : null);

const INPUT_MODES: Partial<Readonly<Record<FieldKind, string>>> = { picture: 'url', webAddress: 'url', phone: 'tel' };

/** The values of HTML, by claim. */
const AUTOCOMPLETE: Readonly<Record<string, string>> = {
  name: 'name',
  given_name: 'given-name',
  family_name: 'family-name',
  middle_name: 'additional-name',
  nickname: 'nickname',
  website: 'url',
  picture: 'photo',
  gender: 'sex',
  birthdate: 'bday',
  locale: 'language',
  phone_number: 'tel',
};
