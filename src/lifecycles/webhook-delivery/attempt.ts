/** The contents of a delivery, and the outcome of an attempt. */

/** The member `data` of the body. */
export type WebhookData = Readonly<Record<string, string | readonly string[] | number | null>>;

/** A closed union: log lines, metrics and lists use these words, and nothing of an endpoint's answer. */
export const ATTEMPT_OUTCOMES = [
  'delivered',
  /** 410. */
  'gone',
  /** 3xx: redirects are not followed. */
  'redirected',
  /** 4xx. */
  'refused',
  /** 5xx, or another status that is none of the above. */
  'failed',
  'timed_out',
  /** The certificate is not right for the name, or not trusted. */
  'certificate_not_trusted',
  /** The name leads to an address that is not of the public internet. */
  'address_not_public',
  /** No connection, or no answer of HTTP. */
  'unreachable',
] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];
