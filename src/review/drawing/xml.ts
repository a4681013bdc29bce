/** XML from a template; every inserted value is escaped. */
export const markup = (parts: TemplateStringsArray, ...values: readonly (string | number)[]): string =>
  parts.map((part, index) => `${part}${index < values.length ? escaped(String(values[index])) : ''}`).join('');

const NAMES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** XML 1.0 §2.2: other control characters, lone surrogates and U+FFFE/F cannot stand in a document, not even escaped. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression looks for control characters.
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replaceAll(/[&<>"']/g, (sign) => NAMES[sign] ?? sign);
