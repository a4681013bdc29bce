/** A host that only this machine reaches. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\]|::1)$/;
export const isLoopback = (host: string): boolean => LOOPBACK.test(host);
