/** The placeholders in `mails.yaml`: a text with an unknown one, or without its link, would reach end-users. */
import { MAIL_PLACEHOLDERS, type MailsFile } from '../../policies/mails-schema.ts';
import { nearestOf } from './nearest.ts';
import { type Problem, problemsIn, type ReadFile } from './problem.ts';

export const MAILS_FILE = 'mails.yaml';

type Found = Pick<Problem, 'found' | 'allowed' | 'nearest'>;
type OwnMail = MailsFile['mails'][number];

export function ownMailProblems(file: ReadFile<MailsFile>): Problem[] {
  const { mails } = file.value;
  const problem = problemsIn(MAILS_FILE, file);
  return mails.flatMap((own, index) => {
    const at = (key: string, { found, allowed, nearest }: Found) =>
      problem(['mails', index, key], found, allowed, nearest);
    const { mail, language, subject = '', text, button = '' } = own;
    const earlier = mails.findIndex((other) => other.mail === mail && other.language === language);
    const once = {
      found: `${mail} in ${language} a second time`,
      allowed: 'each mail once in a language',
      nearest: null,
    };
    return [
      ...(earlier < index ? [at('mail', once)] : []),
      ...strangers(subject, inLines(own)).map((found) => at('subject', found)),
      ...strangers(text ?? '', [mainOf(own), ...inText(own)]).map((found) => at('text', found)),
      ...(text === undefined ? [] : withoutMain(text, mainOf(own))).map((found) => at('text', found)),
      ...strangers(button, inLines(own)).map((found) => at('button', found)),
    ];
  });
}

/** The paragraph that the mail is for. */
const mainOf = ({ mail }: OwnMail): string => MAIL_PLACEHOLDERS[mail][0];
const inText = ({ mail }: OwnMail): readonly string[] => [...MAIL_PLACEHOLDERS[mail].slice(1), 'organization'];
/** A subject and a button have no room for a URL. */
const inLines = (own: OwnMail): readonly string[] => inText(own).filter((name) => name !== 'forgot');

const listed = (names: readonly string[]): string => names.map((name) => `{${name}}`).join(', ');

/** Placeholders that the mail does not have, and braces that belong to none. */
function strangers(text: string, known: readonly string[]): Found[] {
  const allowed = `only the placeholders ${listed(known)}`;
  const named = [...text.matchAll(/\{([^{}\s]*)\}/g)].map(([, name = '']) => name);
  const unknown = [...new Set(named)].filter((name) => !known.includes(name));
  const isLoose = /[{}]/.test(text.replaceAll(/\{[^{}\s]*\}/g, ''));
  return [
    ...unknown.map((name) => ({ found: `{${name}}`, allowed, nearest: nearestOf(name, known, () => 3) })),
    ...(isLoose ? [{ found: 'a brace that belongs to no placeholder', allowed, nearest: null }] : []),
  ];
}

function withoutMain(text: string, main: string): Found[] {
  const placeholder = `{${main}}`;
  if (text.split(/\n{2,}/).filter((paragraph) => paragraph.trim() === placeholder).length === 1) return [];
  const found = text.includes(placeholder) ? `${placeholder} within other text, or several times` : `no ${placeholder}`;
  return [{ found, allowed: `${placeholder} once, as a paragraph of its own between empty lines`, nearest: null }];
}
