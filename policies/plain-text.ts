/** Text that Postgres can store and a page can show: no control characters, no lone surrogates, no bidirectional overrides. */
export const isPlainText = (text: string): boolean =>
  text.isWellFormed() && !/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(text);
