/** A proxy between the server and Postgres that loses, breaks off, delays and forges what passes, on request. */
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
  /** Forwards this many bytes of responses, then ends every connection, politely (FIN) or not (RST). */
  readonly cutAfter: (bytes: number, how?: 'end' | 'reset') => void;
  /** The responses since the last call, as Postgres sent them. */
  readonly answers: () => Buffer;
  /** Answers every statement with this SQLSTATE instead of Postgres, as an error of this severity. FATAL also hangs up. */
  readonly refuse: (sqlstate: string, severity?: 'ERROR' | 'FATAL') => void;
  /** Existing connections pass nothing; `new` too: nor do new ones. Data on its way is kept. */
  readonly silence: (which: 'existing' | 'all', direction?: Direction) => void;
  /** Each piece arrives this much later, in either direction; 0: immediately again. */
  readonly delay: (milliseconds: number) => void;
  /** The kept data passes, in order and late. */
  readonly letThrough: () => void;
  /** New connections go to this server; those that exist stay where they are. */
  readonly leadTo: (postgresUrl: string) => void;
  /** How many connections came, and how many of them the server still has. */
  readonly connections: () => { readonly ever: number; readonly open: number };
  readonly close: () => Promise<void>;
};

/** `both`, or only the statements to Postgres, or only its answers. */
export type Direction = 'both' | 'asked' | 'answered';

/** The places at which a stream of Postgres' messages may be cut: around each beginning of a message, and in its head. */
export function cuttingPlaces(stream: Buffer): number[] {
  const places = new Set<number>();
  for (let at = 0; at + 5 <= stream.length; at += 1 + stream.readUInt32BE(at + 1)) {
    const length = 1 + stream.readUInt32BE(at + 1);
    for (const place of [at, at + 1, at + 4, at + 5, at + Math.floor(length / 2), at + length - 1]) places.add(place);
  }
  return [...places].filter((place) => place < stream.length).sort((a, b) => a - b);
}

export async function openTcpProxy(postgresUrl: string): Promise<TcpProxy> {
  let target = new URL(postgresUrl);
  const sockets = new Set<Socket>();
  const links = new Set<Link>();
  let ever = 0;
  let hangsUp = false;
  let silent: Direction | null = null;
  let delayMilliseconds = 0;
  let refusal: Buffer | null = null;
  let hangsUpAfterRefusal = false;
  let bytesLeft = Number.POSITIVE_INFINITY;
  let howToCut: 'end' | 'reset' = 'end';
  let seen: Buffer[] = [];
  let onAnswer: (() => void) | null = null;
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    if (hangsUp) return void client.destroy();
    const database = connect(Number(target.port || 5432), target.hostname);
    const link: Link = {
      silent,
      kept: [],
      late: 0,
      lateMilliseconds: 0,
      asked: Buffer.alloc(0),
      skips: false,
    };
    links.add(link);
    ever++;
    const pass = (direction: Direction, deliver: () => void) => {
      if (link.silent === 'both' || link.silent === direction) return void link.kept.push(deliver);
      if (delayMilliseconds === 0 && link.late === 0) return void deliver();
      // Nothing overtakes what is late.
      link.late++;
      link.lateMilliseconds = Math.max(link.lateMilliseconds, delayMilliseconds);
      setTimeout(() => {
        deliver();
        if (--link.late === 0) link.lateMilliseconds = 0;
      }, link.lateMilliseconds);
    };
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    client.on('data', (data) =>
      pass('asked', () => {
        if (refusal === null) return void database.write(data);
        link.asked = Buffer.concat([link.asked, data]);
        link.asked = answerEach(link.asked, (type) => {
          // As Postgres does: one error, then everything is skipped up to Sync; a simple query is both.
          if (refusal !== null && type !== 'S' && !link.skips) client.write(refusal);
          link.skips = type !== 'S' && type !== 'Q';
          if (!link.skips) client.write(READY);
        });
        if (hangsUpAfterRefusal) client.end();
      }),
    );
    client.on('close', () => {
      links.delete(link);
      database.destroy();
    });
    database.on('close', () => pass('answered', () => client.destroy()));
    database.on('data', (data) =>
      pass('answered', () => {
        if (onAnswer === null) {
          seen.push(data);
          client.write(data.subarray(0, bytesLeft));
          bytesLeft -= data.length;
          if (bytesLeft >= 0) return;
          bytesLeft = Number.POSITIVE_INFINITY;
          return endAll();
        }
        const lost = onAnswer;
        onAnswer = null;
        destroyAll();
        lost();
      }),
    );
  });
  /** Data that was written before still arrives. */
  const endAll = () => {
    for (const socket of sockets) howToCut === 'end' ? socket.destroySoon() : socket.resetAndDestroy();
  };
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
      refusal = null;
      bytesLeft = Number.POSITIVE_INFINITY;
      if (!server.listening) await open(port);
    },
    loseNextAnswer: (then = () => {}) => {
      onAnswer = then;
    },
    cutAfter: (bytes, how = 'end') => {
      bytesLeft = bytes;
      howToCut = how;
    },
    answers: () => {
      const all = Buffer.concat(seen);
      seen = [];
      return all;
    },
    refuse: (sqlstate, severity = 'ERROR') => {
      refusal = errorResponse(sqlstate, severity);
      hangsUpAfterRefusal = severity === 'FATAL';
    },
    silence: (which, direction = 'both') => {
      silent = which === 'all' ? direction : null;
      for (const link of links) link.silent = direction;
    },
    delay: (milliseconds) => {
      delayMilliseconds = milliseconds;
    },
    letThrough: () => {
      silent = null;
      for (const link of links) {
        link.silent = null;
        for (const deliver of link.kept.splice(0)) deliver();
      }
    },
    leadTo: (elsewhere) => {
      target = new URL(elsewhere);
    },
    connections: () => ({ ever, open: links.size }),
    close: async () => {
      destroyAll();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Link = {
  silent: Direction | null;
  readonly kept: (() => void)[];
  /** Pieces that are on their way, and how late they are. */
  late: number;
  lateMilliseconds: number;
  asked: Buffer;
  skips: boolean;
};

/** ReadyForQuery, idle. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

function errorResponse(sqlstate: string, severity: string): Buffer {
  const fields = Buffer.from(`S${severity}\0V${severity}\0C${sqlstate}\0Mforged by a test\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeUInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

/** Calls back with the type of each whole message. A startup message, which has none, counts as its first byte. @returns the rest. */
function answerEach(asked: Buffer, onMessage: (type: string) => void): Buffer {
  let rest = asked;
  while (rest.length >= 5) {
    const isStartup = rest[0] === 0;
    const length = isStartup ? rest.readUInt32BE(0) : 1 + rest.readUInt32BE(1);
    if (rest.length < length) break;
    onMessage(isStartup ? 'Q' : String.fromCharCode(rest[0] ?? 0));
    rest = rest.subarray(length);
  }
  return rest;
}
