/** JSON from the authorization server, within a time and a size, and from nowhere else: no redirect is followed. */
export type JsonAnswer = {
    readonly kind: 'json';
    readonly value: unknown;
}
/** `detail`: for the log of the API. It has the URL and what came, and nothing that was sent. */
 | {
    readonly kind: 'failed';
    readonly detail: string;
};
export type JsonRequest = {
    readonly url: string;
    readonly method: 'GET' | 'POST';
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
};
export type AskForJson = (request: JsonRequest, timeoutMilliseconds: number) => Promise<JsonAnswer>;
/** @returns a function that never rejects. */
export declare const jsonRequests: (fetch: typeof globalThis.fetch) => AskForJson;
/** @returns null for anything but a JSON object. */
export declare const objectOf: (value: unknown) => Readonly<Record<string, unknown>> | null;
