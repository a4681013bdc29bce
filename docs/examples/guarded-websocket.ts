import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Access, createGuard } from 'statehouse/guard';
import { upgradeGuard } from 'statehouse/guard/websocket';
import { type WebSocket, WebSocketServer } from 'ws';

const NEEDS = { scopes: ['read'] };
const FIRST_MESSAGE_MILLISECONDS = 5000;
/** https://www.iana.org/assignments/websocket: Unauthorized, Try Again Later. */
const UNAUTHORIZED = 3000;
const TRY_AGAIN = 1013;

/** Serves /photos to programs, and /photos/browser to pages of one origin. */
export function streamPhotos(server: Server, issuer: string, resource: string, origin: string): void {
  const guard = createGuard({ issuer, resource });
  const { requires } = upgradeGuard(guard);
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 16_384 });

  const programs = requires(NEEDS, (request: IncomingMessage, socket: Duplex, head: Buffer, access) =>
    sockets.handleUpgrade(request, socket, head, (open) => stream(open, access)),
  );

  /** The first message is the access token. Until the guard has checked it, the socket gets no data. */
  const begin = (open: WebSocket) => {
    const timer = setTimeout(() => open.close(UNAUTHORIZED), FIRST_MESSAGE_MILLISECONDS);
    open.once('close', () => clearTimeout(timer));
    open.once('message', async (token) => {
      clearTimeout(timer);
      const outcome = await guard.check({ headers: { authorization: `Bearer ${token}` } }, NEEDS);
      if (outcome.kind === 'granted') stream(open, outcome.access);
      else open.close(outcome.kind === 'refused' ? UNAUTHORIZED : TRY_AGAIN, outcome.reason);
    });
  };

  server.on('upgrade', (request, socket, head) => {
    if (request.url === '/photos') return programs(request, socket, head);
    const isPage = request.url === '/photos/browser' && request.headers.origin === origin;
    return isPage ? sockets.handleUpgrade(request, socket, head, begin) : socket.destroy();
  });
}

function stream(open: WebSocket, { subject, claims }: Access): void {
  // The guard checks a token once. The socket must not outlive it.
  const timer = setTimeout(() => open.close(UNAUTHORIZED, 'expired'), claims.exp * 1000 - Date.now());
  open.once('close', () => clearTimeout(timer));
  open.send(JSON.stringify({ subject, photos: [] }));
}
