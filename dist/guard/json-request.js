/** JSON from the authorization server, within a time and a size, and from nowhere else: no redirect is followed. */
/** A JWKS of fifty RSA keys has 25 KB. */
const MAX_BYTES = 256 * 1024;
/** @returns a function that never rejects. */
export const jsonRequests = (fetch) => async ({ url, method, headers, body }, timeoutMilliseconds) => {
    const failed = (what) => ({ kind: 'failed', detail: `${method} ${url}: ${what}` });
    const timeout = AbortSignal.timeout(timeoutMilliseconds);
    const ask = async () => {
        const response = await fetch(url, {
            method,
            headers: { accept: 'application/json', ...headers },
            ...(body !== undefined && { body }),
            redirect: 'error',
            signal: timeout,
        });
        if (response.status !== 200) {
            await response.body?.cancel();
            return failed(`answered ${response.status}`);
        }
        const text = await textOf(response, timeout);
        if (text === null)
            return failed(`answered more than ${MAX_BYTES} bytes`);
        try {
            return { kind: 'json', value: JSON.parse(text) };
        }
        catch {
            return failed('answered what is no JSON');
        }
    };
    const tooLate = new Promise((resolve) => {
        timeout.addEventListener('abort', () => resolve(failed(`no answer within ${timeoutMilliseconds} ms`)), {
            once: true,
        });
    });
    // A `fetch` of the caller may pay no heed to the signal.
    return Promise.race([ask().catch((error) => failed(whatFailed(error))), tooLate]);
};
/** @returns null when there is too much of it. */
async function textOf(response, stop) {
    if (response.body === null)
        return '';
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
/** The code of the network's error, such as ECONNREFUSED. Messages may quote what came, so they are left out. */
function whatFailed(error) {
    const { name, code, cause } = Object(error);
    const deeper = Object(cause).code;
    const word = [deeper, code, name].find((one) => typeof one === 'string');
    return `could not be asked (${word ?? 'no reason given'})`;
}
/** @returns null for anything but a JSON object. */
export const objectOf = (value) => typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
