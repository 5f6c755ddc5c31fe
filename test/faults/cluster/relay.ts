/** A relay to a server that can be cut like a network: nothing arrives, and neither side is informed. */
import { connect, createServer, type Server, type Socket } from 'node:net';

export class Relay {
  readonly port: number;
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  readonly #held = new Set<Socket>();
  readonly #target: () => number;
  #isCut = false;

  private constructor(server: Server, port: number, target: () => number) {
    this.#server = server;
    this.port = port;
    this.#target = target;
    server.on('connection', (socket) => this.#accept(socket));
  }

  /** @param target The target port, looked up for each connection. */
  static async open(target: () => number): Promise<Relay> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the relay has no port');
    return new Relay(server, address.port, target);
  }

  /** From now on no data passes in either direction. Connections stay open, and new ones get no answer. */
  cut(): void {
    this.#isCut = true;
    for (const [a, b] of this.#pairs) {
      a.pause();
      b.pause();
    }
  }

  /** The delayed data arrives, like retransmitted packets. */
  heal(): void {
    this.#isCut = false;
    for (const pair of this.#pairs) {
      if (pair.some((socket) => socket.destroyed)) this.#end(pair);
      for (const socket of pair) socket.resume();
    }
    for (const socket of this.#held) {
      this.#join(socket);
      socket.resume();
    }
    this.#held.clear();
  }

  /** Drops all connections and the delayed data. */
  drop(): void {
    for (const socket of [...[...this.#pairs].flat(), ...this.#held]) socket.destroy();
    this.#pairs.clear();
    this.#held.clear();
  }

  close(): void {
    this.#server.close();
    this.drop();
  }

  #accept(socket: Socket): void {
    socket.on('error', () => {});
    if (this.#isCut) {
      socket.pause();
      this.#held.add(socket);
      socket.on('close', () => this.#held.delete(socket));
    } else this.#join(socket);
  }

  #join(near: Socket): void {
    if (near.destroyed) return;
    const far = connect(this.#target(), '127.0.0.1');
    far.on('error', () => {});
    const pair = [near, far] as const;
    this.#pairs.add(pair);
    forward(near, far);
    forward(far, near);
    for (const socket of pair) {
      // When one side ends, the other one ends too, but only while the relay is not cut.
      socket.on('close', () => {
        if (!this.#isCut) this.#end(pair);
      });
    }
  }

  #end(pair: readonly [Socket, Socket]): void {
    this.#pairs.delete(pair);
    for (const socket of pair) socket.destroy();
  }
}

function forward(from: Socket, to: Socket): void {
  from.setNoDelay(true);
  from.on('data', (data) => {
    if (!to.destroyed) to.write(data);
  });
  from.on('end', () => to.end());
}
