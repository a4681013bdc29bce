/** When every exploration begins, and the instants around it. */

/** Milliseconds since 1970; any instant would do. */
export const BEGAN_AT = Date.UTC(2030, 0, 1);

export const after = (seconds: number): Date => new Date(BEGAN_AT + seconds * 1000);
