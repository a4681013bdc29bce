/** The metadata of the API itself (RFC 9728), from which clients learn where to get a token. */
/** RFC 9728 §3.1: the well-known part comes between host and path, and a query stays where it is. */
function placeOf(resource) {
    if (!/^https?:/i.test(resource))
        return null;
    const { origin, pathname, search } = new URL(resource);
    const path = `/.well-known/oauth-protected-resource${pathname.replace(/\/$/, '')}`;
    return { url: `${origin}${path}${search}`, path };
}
export function resourceMetadata({ issuer, resource, scopes, name, documentation }) {
    const place = placeOf(resource);
    return {
        url: place?.url ?? null,
        path: place?.path ?? null,
        document: {
            resource,
            authorization_servers: [issuer],
            bearer_methods_supported: ['header'],
            ...(scopes.length > 0 && { scopes_supported: scopes }),
            ...(name !== undefined && { resource_name: name }),
            ...(documentation !== undefined && { resource_documentation: documentation }),
        },
    };
}
