/** Text that looks like a token or code of a server. None gets into an address, which browsers and proxies keep. */

/** Also inside the text around it: `Bearer …`, a line of a log, a parameter. */
const CREDENTIAL = /sh_(?:rt|ac)_[\w-]*|(?<![\w-])eyJ[\w-]*\.[\w.-]*/;

/** @returns null: the text has none. */
export const credentialIn = (text: string): string | null => CREDENTIAL.exec(text)?.[0] ?? null;
