/** A proxy between the server and Postgres that loses connections and responses on request. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type TcpProxy = {
  /** The same database, through the proxy. */
  readonly url: string;
  /** Ends every connection and refuses new ones, like a host on which Postgres is down. */
  readonly cut: () => void;
  /** Ends every connection, and hangs up on new ones: like a load balancer with nothing behind it. */
  readonly hangUp: () => void;
  readonly restore: () => Promise<void>;
  /** Postgres still receives what is sent, but its next response is lost with all connections. */
  readonly loseNextAnswer: (then?: () => void) => void;
  readonly close: () => Promise<void>;
};

export async function openTcpProxy(postgresUrl: string): Promise<TcpProxy> {
  const target = new URL(postgresUrl);
  const sockets = new Set<Socket>();
  let hangsUp = false;
  let onAnswer: (() => void) | null = null;
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    if (hangsUp) return void client.destroy();
    const database = connect(Number(target.port || 5432), target.hostname);
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    client.on('data', (data) => database.write(data));
    client.on('close', () => database.destroy());
    database.on('close', () => client.destroy());
    database.on('data', (data) => {
      if (onAnswer === null) return void client.write(data);
      const lost = onAnswer;
      onAnswer = null;
      destroyAll();
      lost();
    });
  });
  const open = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await open(0);
  const { port } = server.address() as AddressInfo;
  const url = new URL(postgresUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return {
    url: url.toString(),
    cut: () => {
      server.close();
      destroyAll();
    },
    hangUp: () => {
      hangsUp = true;
      destroyAll();
    },
    restore: async () => {
      hangsUp = false;
      if (!server.listening) await open(port);
    },
    loseNextAnswer: (then = () => {}) => {
      onAnswer = then;
    },
    close: async () => {
      destroyAll();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
}
