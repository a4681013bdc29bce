/** The check of an access token (RFC 9068 §4, RFC 8725), with jose. */
import { decodeProtectedHeader, jwtVerify } from 'jose';
/** RFC 7515 §4.1.9: `application/` may be left out, and media types are compared without regard to case. */
const AT_JWT = /^(?:application\/)?at\+jwt$/i;
const invalid = (reason) => ({ kind: 'invalid', reason });
/** Never rejects because of what the token holds. */
export async function readAccessToken(rules, keys, token) {
    const header = headerOf(token);
    if (header === null)
        return invalid('token_malformed');
    // RFC 7515 §4.1.11: extensions that are not understood make a JWS invalid, and none is understood.
    if (Object.hasOwn(header, 'crit'))
        return invalid('critical_header');
    const { alg, kid, typ } = header;
    if (typeof alg !== 'string' || !rules.algorithms.includes(alg))
        return invalid('other_algorithm');
    if (typeof typ !== 'string' || !AT_JWT.test(typ))
        return invalid('other_typ');
    if (typeof kid !== 'string')
        return invalid('unknown_key');
    const found = await keys.find({ alg, kid });
    if (found.kind === 'unavailable')
        return found;
    if (found.kind === 'unknown')
        return invalid('unknown_key');
    try {
        const { payload } = await jwtVerify(token, found.key, {
            algorithms: [...rules.algorithms],
            issuer: rules.issuer,
            audience: rules.resource,
            requiredClaims: ['exp', 'iat'],
            clockTolerance: rules.clockToleranceSeconds,
            currentDate: new Date(rules.now()),
        });
        return claimsIn(payload, rules);
    }
    catch (error) {
        return invalid(reasonOf(error));
    }
}
function headerOf(token) {
    try {
        return decodeProtectedHeader(token);
    }
    catch {
        return null;
    }
}
const isText = (value) => typeof value === 'string' && value.length > 0;
/** RFC 9068 §2.2: what is required, in the types that it must have. `iss`, `aud` and `exp` were compared before. */
const SHAPE = {
    sub: isText,
    client_id: isText,
    jti: isText,
    exp: Number.isFinite,
    iat: Number.isFinite,
    aud: (value) => isText(value) || (Array.isArray(value) && value.every(isText)),
    scope: (value) => value === undefined || typeof value === 'string',
};
function claimsIn(payload, { now, clockToleranceSeconds }) {
    const isComplete = Object.entries(SHAPE).every(([name, is]) => is(payload[name]));
    if (!isComplete)
        return invalid('claim_missing');
    // jose looks at `iat` only where a maximal age is asked for.
    if (Number(payload.iat) > now() / 1000 + clockToleranceSeconds)
        return invalid('not_yet_valid');
    return { kind: 'valid', claims: payload };
}
const BY_CODE = {
    ERR_JWT_EXPIRED: 'expired',
    ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'wrong_signature',
    ERR_JOSE_ALG_NOT_ALLOWED: 'other_algorithm',
};
const BY_CLAIM = {
    iss: 'other_issuer',
    aud: 'other_audience',
    nbf: 'not_yet_valid',
};
/** jose throws nothing else here: keys are at hand, and everything else is the token's. */
function reasonOf(error) {
    const { code, claim, reason } = Object(error);
    if (code === 'ERR_JWT_CLAIM_VALIDATION_FAILED') {
        return reason === 'missing' ? 'claim_missing' : (BY_CLAIM[String(claim)] ?? 'claim_missing');
    }
    return BY_CODE[String(code)] ?? 'token_malformed';
}
