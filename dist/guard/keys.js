/** The public keys of the authorization server (RFC 7517): fetched, kept, and fetched again when others sign. */
import { createLocalJWKSet } from 'jose';
import { objectOf } from './json-request.js';
/** After a fetch that failed. Every request that comes meanwhile is answered from what there is. */
const RETRY_SECONDS = 2;
const MAX_KEYS = 100;
/** @param now milliseconds since 1970. */
export function keySource(ask, endpoints, times, now) {
    let kept = null;
    let failure = null;
    let triedAt = null;
    let pending = null;
    /** A clock that was set back counts as time that has passed. */
    const within = (instant, seconds) => {
        if (instant === null)
            return false;
        const elapsed = now() - instant;
        return elapsed >= 0 && elapsed < seconds * 1000;
    };
    const load = async () => {
        triedAt = now();
        const endpoint = await endpoints.ask('jwks_uri');
        if (endpoint.kind === 'failed') {
            failure = endpoint.detail;
            return;
        }
        const answer = await ask({ url: endpoint.url, method: 'GET', headers: {} }, times.timeoutMilliseconds);
        const keys = answer.kind === 'json' ? signingKeysIn(answer.value) : [];
        if (keys.length === 0) {
            failure = answer.kind === 'failed' ? answer.detail : `GET ${endpoint.url}: there is no key for signatures in it`;
            return;
        }
        kept = { pick: createLocalJWKSet({ keys }), at: now() };
        failure = null;
    };
    /** All who wait, wait for the same fetch. Never rejects, since nobody may be waiting. */
    const refresh = () => {
        pending ??= load()
            .catch(() => {
            failure = 'the keys could not be read';
        })
            .finally(() => {
            pending = null;
        });
        return pending;
    };
    const isYounger = (seconds) => within(kept?.at ?? null, seconds);
    const mayServe = () => isYounger(Math.max(times.staleSeconds, times.maxAgeSeconds));
    const mayTry = (seconds) => pending !== null || !within(triedAt, failure === null ? seconds : RETRY_SECONDS);
    const missing = () => ({
        kind: 'unavailable',
        detail: failure ?? 'the keys could not be fetched',
        retryAfterSeconds: RETRY_SECONDS,
    });
    return {
        find: async (header) => {
            if (!isYounger(times.maxAgeSeconds) && mayTry(0)) {
                const refreshed = refresh();
                // The first who find them old wait. Once a fetch has failed, the old ones serve while the next is under way.
                if (failure === null || !mayServe())
                    await refreshed;
            }
            if (!mayServe())
                return missing();
            const key = await pickFrom(kept, header);
            if (key !== null)
                return { kind: 'found', key };
            if (mayTry(times.cooldownSeconds))
                await refresh();
            const newer = await pickFrom(kept, header);
            if (newer !== null)
                return { kind: 'found', key: newer };
            // The server may know it: nobody can say while it cannot be asked.
            return failure === null ? { kind: 'unknown' } : missing();
        },
    };
}
/** @returns null when there is none, when several have the same id, and when it is no key after all. */
async function pickFrom(kept, header) {
    if (kept === null)
        return null;
    try {
        // Nothing but `kid` and `alg`: what else a header says of keys (jwk, jku, x5u, x5c) is the word of a stranger.
        const { kid, alg } = header;
        return await kept.pick({ alg, ...(kid !== undefined && { kid }) });
    }
    catch {
        return null;
    }
}
const ASYMMETRIC = new Set(['EC', 'RSA', 'OKP']);
/** Public keys that have an id and may sign. Anything else in the document is passed over. */
function signingKeysIn(document) {
    const list = objectOf(document)?.['keys'];
    if (!Array.isArray(list))
        return [];
    return list.slice(0, MAX_KEYS).filter((one) => {
        const key = objectOf(one);
        if (key === null || typeof key['kid'] !== 'string' || !ASYMMETRIC.has(key['kty']))
            return false;
        return (key['use'] ?? 'sig') === 'sig';
    });
}
