/** The metadata of the authorization server (RFC 8414): where its keys and its introspection endpoint are. */
import { type AskForJson } from './json-request.js';
export type Endpoint = {
    readonly kind: 'found';
    readonly url: string;
} | {
    readonly kind: 'failed';
    readonly detail: string;
};
export type EndpointName = 'jwks_uri' | 'introspection_endpoint';
export type Discovery = {
    /** Asks the server. While it cannot be asked, what it said before holds. Never rejects. */
    readonly ask: (name: EndpointName) => Promise<Endpoint>;
    /** As last heard; asks the server only where nothing was heard yet. */
    readonly known: (name: EndpointName) => Promise<Endpoint>;
};
/** RFC 8414 §3.1: the well-known part comes between host and path. */
export declare function metadataUrlOf(issuer: string): string;
/** @param given endpoints that need not be discovered. */
export declare function discovery(ask: AskForJson, issuer: string, given: Readonly<Partial<Record<EndpointName, string>>>, timeoutMilliseconds: number): Discovery;
/** Of the scheme of the issuer, so that an issuer on TLS sends nobody to where there is none. */
export declare function isEndpointOf(issuer: string, value: unknown): value is string;
