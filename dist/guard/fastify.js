import { createGuard } from './guard.js';
import { UNCACHED } from './outcome.js';
const guarded = async (app, options) => {
    const { serveMetadata = true, sendRefusal = (reply, { body }) => reply.send(body) } = options;
    const guard = createGuard(options);
    const scopesOfRoutes = new Set();
    app.decorate('guard', guard);
    app.decorateRequest('access', null);
    app.addHook('onRoute', (route) => {
        const config = (route.config ?? {});
        if (isPublic(config, methodsOf(route)))
            return;
        const problem = problemOf(guard, config);
        if (problem !== null)
            throw new TypeError(`${methodsOf(route).join(', ')} ${route.url}: ${problem}.`);
        for (const scope of config.scopes ?? [])
            scopesOfRoutes.add(scope);
    });
    app.addHook('onRequest', async (request, reply) => {
        const config = configOf(request);
        if (isPublicRequest(request))
            return;
        // A route that was declared before the plugin was there: nobody has looked at it yet.
        const problem = problemOf(guard, config);
        if (problem !== null)
            throw new TypeError(`${request.method} ${request.routeOptions.url}: ${problem}.`);
        const { scopes = [], introspect, acrValues, maxAgeSeconds } = config;
        const outcome = await guard.check(request.raw, { scopes, introspect, acrValues, maxAgeSeconds });
        if (outcome.kind === 'granted') {
            request.access = outcome.access;
            return;
        }
        const { kind, reason } = outcome;
        if (kind === 'unavailable')
            request.log.error({ reason, detail: outcome.detail }, 'access tokens cannot be checked');
        else
            request.log.info({ reason }, 'access refused');
        reply.code(outcome.status).headers(outcome.headers);
        return sendRefusal(reply, outcome);
    });
    // At the end, since what answers may set both: its own Cache-Control stays, and its Vary is added to.
    app.addHook('onSend', async (request, reply) => {
        if (isPublicRequest(request))
            return;
        if (!reply.hasHeader('cache-control'))
            reply.header('cache-control', UNCACHED['cache-control']);
        reply.header('vary', varying(reply.getHeader('vary')));
    });
    if (serveMetadata && guard.metadata.path !== null)
        publish(app, guard, options.scopes === undefined ? scopesOfRoutes : null);
};
/** RFC 9728 §3: for everybody, clients that live in browsers too. There is nothing secret in it. */
function publish(app, guard, scopesOfRoutes) {
    const { path, document } = guard.metadata;
    if (app.prefix !== '') {
        throw new TypeError(`The metadata of ${document.resource} are served at ${path}, which is not below ${app.prefix}. ` +
            'Register the guard without a prefix, or with serveMetadata: false.');
    }
    // A colon would begin a parameter.
    app.get(String(path).replaceAll(':', '::'), { config: { public: true } }, (_request, reply) => {
        const scopes = [...(scopesOfRoutes ?? [])];
        reply.header('access-control-allow-origin', '*').header('cache-control', 'public, max-age=300');
        return reply.send({ ...document, ...(scopes.length > 0 && { scopes_supported: scopes }) });
    });
}
const methodsOf = ({ method }) => [method].flat();
const configOf = (request) => (request.routeOptions.config ?? {});
/** OPTIONS that say nothing are those of CORS, which never carry credentials (Fetch §3.2.2). */
const isPublic = (config, methods) => config.public === true ||
    (config.scopes === undefined && methods.length > 0 && methods.every((method) => method === 'OPTIONS'));
/** There is nothing to guard where there is no route. */
const isPublicRequest = (request) => request.is404 || isPublic(configOf(request), [request.method]);
function problemOf(guard, { scopes, introspect, acrValues, maxAgeSeconds }) {
    const needs = { scopes: scopes, introspect, acrValues, maxAgeSeconds };
    return scopes === undefined
        ? 'say what it takes: config: { scopes: […] }, or config: { public: true }'
        : guard.problemOf(needs);
}
function varying(given) {
    const names = given === undefined ? [] : [given].flat().flatMap((one) => String(one).split(/ *, */));
    const isNamed = names.some((name) => name === '*' || name.toLowerCase() === 'authorization');
    return [...names, ...(isNamed ? [] : ['Authorization'])].join(', ');
}
/** As fastify-plugin marks it: hooks and decorators are for the scope that registers it, and for Fastify 5. */
export const fastifyGuard = Object.assign(guarded, {
    [Symbol.for('skip-override')]: true,
    [Symbol.for('fastify.display-name')]: 'statehouse-guard',
    [Symbol.for('plugin-meta')]: { name: 'statehouse-guard', fastify: '5.x' },
});
