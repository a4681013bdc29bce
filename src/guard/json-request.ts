/** JSON from the authorization server, within a time and a size. The guard follows no redirect. */

export type JsonAnswer =
  | { readonly kind: 'json'; readonly value: unknown }
  /** `detail`: for the log of the API. It contains the URL and the failure, and no sent value. */
  | { readonly kind: 'failed'; readonly detail: string };

export type JsonRequest = {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

export type AskForJson = (request: JsonRequest, timeoutMilliseconds: number) => Promise<JsonAnswer>;

/** In bytes. A JWKS of fifty RSA keys has 25 KB. */
const MAX_BYTES = 256 * 1024;

/** @returns a function that never rejects. */
export const jsonRequests =
  (fetch: typeof globalThis.fetch): AskForJson =>
  async ({ url, method, headers, body }, timeoutMilliseconds) => {
    const failed = (what: string): JsonAnswer => ({ kind: 'failed', detail: `${method} ${url}: ${what}` });
    const timeout = AbortSignal.timeout(timeoutMilliseconds);
    const ask = async (): Promise<JsonAnswer> => {
      const response = await fetch(url, {
        method,
        headers: { accept: 'application/json', ...headers },
        ...(body !== undefined && { body }),
        // Not 'error': Cloudflare Workers know no such mode. A redirect is an answer other than 200.
        redirect: 'manual',
        signal: timeout,
      });
      if (response.status !== 200) {
        await response.body?.cancel();
        return failed(`answered ${response.status}`);
      }
      const text = await textOf(response, timeout);
      if (text === null) return failed(`answered more than ${MAX_BYTES} bytes`);
      try {
        return { kind: 'json', value: JSON.parse(text) };
      } catch {
        return failed('the answer is not JSON');
      }
    };
    const tooLate = new Promise<JsonAnswer>((resolve) => {
      timeout.addEventListener('abort', () => resolve(failed(`no answer within ${timeoutMilliseconds} ms`)), {
        once: true,
      });
    });
    // A `fetch` of the caller may ignore the signal.
    return Promise.race([ask().catch((error: unknown) => failed(whatFailed(error))), tooLate]);
  };

/** @returns null when the body is too large. */
async function textOf(response: Response, stop: AbortSignal): Promise<string | null> {
  if (response.body === null) return '';
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.byteLength;
    if (bytes > MAX_BYTES || stop.aborted) {
      await reader.cancel();
      return null;
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}

/** The code of the network's error, such as ECONNREFUSED. Without the message, which may quote the input. */
function whatFailed(error: unknown): string {
  const { name, code, cause } = Object(error) as { name?: unknown; code?: unknown; cause?: unknown };
  const deeper = (Object(cause) as { code?: unknown }).code;
  const word = [deeper, code, name].find((one) => typeof one === 'string');
  return `could not be asked (${word ?? 'no reason given'})`;
}

/** @returns null for any value but a JSON object. */
export const objectOf = (value: unknown): Readonly<Record<string, unknown>> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
