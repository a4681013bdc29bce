/** The metadata of the authorization server (RFC 8414): where its keys and its introspection endpoint are. */
import { objectOf } from './json-request.js';
/** RFC 8414 §3.1: the well-known part comes between host and path. */
export function metadataUrlOf(issuer) {
    const { origin, pathname } = new URL(issuer);
    return `${origin}/.well-known/oauth-authorization-server${pathname.replace(/\/$/, '')}`;
}
/** @param given endpoints that need not be discovered. */
export function discovery(ask, issuer, given, timeoutMilliseconds) {
    const url = metadataUrlOf(issuer);
    let heard = null;
    let pending = null;
    /** @returns what failed, or null. */
    const hear = async () => {
        const answer = await ask({ url, method: 'GET', headers: {} }, timeoutMilliseconds);
        if (answer.kind === 'failed')
            return answer.detail;
        const metadata = objectOf(answer.value);
        // RFC 8414 §3.3: the issuer MUST be identical, else the metadata MUST NOT be used.
        if (metadata?.['issuer'] !== issuer)
            return `GET ${url}: it is not the metadata of the issuer ${issuer}`;
        heard = metadata;
        return null;
    };
    const endpoint = (name, failure) => {
        const value = heard?.[name];
        if (heard === null)
            return { kind: 'failed', detail: failure ?? `GET ${url}: nothing was heard` };
        return isEndpointOf(issuer, value)
            ? { kind: 'found', url: value }
            : { kind: 'failed', detail: `GET ${url}: its ${name} is missing, or not a URL that an API may ask` };
    };
    const askFor = async (name) => {
        const own = given[name];
        if (own !== undefined)
            return { kind: 'found', url: own };
        pending ??= hear().finally(() => {
            pending = null;
        });
        return endpoint(name, await pending);
    };
    return {
        ask: askFor,
        known: async (name) => (heard === null || given[name] !== undefined ? askFor(name) : endpoint(name, null)),
    };
}
/** Of the scheme of the issuer, so that an issuer on TLS sends nobody to where there is none. */
export function isEndpointOf(issuer, value) {
    if (typeof value !== 'string' || !URL.canParse(value))
        return false;
    const { protocol } = new URL(value);
    return protocol === 'https:' || (protocol === 'http:' && issuer.startsWith('http:'));
}
