/** The metadata of the API itself (RFC 9728), from which clients learn where to get a token. */
export type ResourceMetadata = {
    /** Null: the identifier of the API is no URL, so clients cannot look for its metadata. */
    readonly url: string | null;
    /** Of `url`, on the host of the API; without the query that its identifier may have. */
    readonly path: string | null;
    readonly document: ResourceMetadataDocument;
};
export type ResourceMetadataDocument = {
    readonly resource: string;
    readonly authorization_servers: readonly string[];
    readonly bearer_methods_supported: readonly ['header'];
    readonly scopes_supported?: readonly string[];
    readonly resource_name?: string;
    readonly resource_documentation?: string;
};
export type ResourceFacts = {
    readonly issuer: string;
    readonly resource: string;
    readonly scopes: readonly string[];
    readonly name?: string | undefined;
    readonly documentation?: string | undefined;
};
export declare function resourceMetadata({ issuer, resource, scopes, name, documentation }: ResourceFacts): ResourceMetadata;
