/**
 * The guard for WebSocket upgrades of Node's HTTP server, before `ws` accepts them. It reads the Authorization header,
 * which browsers cannot send.
 */
import { demandNeeds, type Guard } from './guard.ts';
import type { Needs } from './needs.ts';
import type { Access, Refused, Unavailable } from './outcome.ts';
import type { GuardedRequest } from './request.ts';

/** The part of `stream.Duplex` that the guard uses. */
export type UpgradeSocket = {
  readonly destroyed: boolean;
  readonly on: (event: 'error' | 'finish', listener: () => void) => unknown;
  readonly removeListener: (event: 'error', listener: () => void) => unknown;
  readonly end: (text: string) => unknown;
  readonly destroy: () => unknown;
};

export function upgradeGuard<Claims>(guard: Guard<Claims>) {
  return {
    /**
     * The listener for `server.on('upgrade', …)`. @param accept completes the upgrade. @throws TypeError when the needs
     * are invalid.
     */
    requires<Request extends GuardedRequest, Socket extends UpgradeSocket, Head>(
      needs: Needs,
      accept: (request: Request, socket: Socket, head: Head, access: Access<Claims>) => void,
    ) {
      demandNeeds(guard, needs);
      return async (request: Request, socket: Socket, head: Head): Promise<void> => {
        // Without a listener, a connection that breaks meanwhile ends the process.
        const ignore = () => {};
        socket.on('error', ignore);
        const outcome = await guard.check(request, needs);
        if (socket.destroyed) return;
        if (outcome.kind !== 'granted') {
          // A client that keeps its half open would keep the connection, which no time limit of the server ends.
          socket.on('finish', () => socket.destroy());
          return void socket.end(responseOf(outcome));
        }
        socket.removeListener('error', ignore);
        accept(request, socket, head, outcome.access);
      };
    },
  };
}

/** HTTP/1.1 as text. The name of the status may be empty (RFC 9112 §4). */
function responseOf({ status, headers, body }: Refused | Unavailable): string {
  const text = JSON.stringify(body);
  const lines = Object.entries({
    ...headers,
    'content-type': 'application/json',
    // The texts are ASCII.
    'content-length': String(text.length),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} \r\n${lines.join('')}\r\n${text}`;
}
