/**
 * A separate network for one gate (needs root and `ip`). It has one virtual wire to the databases, which can be cut,
 * and another one to the gate's clients.
 */
import { spawnSync } from 'node:child_process';

/** A range that hopefully nobody else uses. The process chooses its own addresses in it. */
const SUBNET = '10.213';

export class PrivateNetwork {
  readonly #name: string;
  readonly #octet: number;

  private constructor() {
    this.#name = `pmt${process.pid}`;
    this.#octet = process.pid % 250;
  }

  /** Null if this machine does not allow it. */
  static open(): PrivateNetwork | null {
    if (process.platform !== 'linux' || process.getuid?.() !== 0) return null;
    const network = new PrivateNetwork();
    try {
      network.#make();
      return network;
    } catch {
      network.close();
      return null;
    }
  }

  /** This machine's address at its end of the wire to the databases. */
  get databaseHost(): string {
    return `${SUBNET}.${this.#octet}.1`;
  }

  /** The address at which the gate listens for its clients. */
  get gateHost(): string {
    return `${SUBNET}.${this.#octet}.6`;
  }

  get launcher(): readonly string[] {
    return ['ip', 'netns', 'exec', this.#name];
  }

  /** The gate's end stays up: packets that it sends are lost, and no sender is informed. */
  cut(): void {
    ip('link', 'set', this.#wire('d'), 'down');
  }

  heal(): void {
    ip('link', 'set', this.#wire('d'), 'up');
  }

  close(): void {
    for (const args of [
      ['link', 'delete', this.#wire('d')],
      ['link', 'delete', this.#wire('c')],
      ['netns', 'delete', this.#name],
    ])
      spawnSync('ip', args, { stdio: 'ignore' });
  }

  #make(): void {
    const inside = ['-n', this.#name];
    ip('netns', 'add', this.#name);
    ip(...inside, 'link', 'set', 'lo', 'up');
    const wires = [
      ['d', this.databaseHost, `${SUBNET}.${this.#octet}.2`],
      ['c', `${SUBNET}.${this.#octet}.5`, this.gateHost],
    ] as const;
    for (const [letter, here, there] of wires) {
      const [near, far] = [this.#wire(letter), `${this.#wire(letter)}i`];
      ip('link', 'add', near, 'type', 'veth', 'peer', 'name', far, 'netns', this.#name);
      ip('address', 'add', `${here}/30`, 'dev', near);
      ip('link', 'set', near, 'up');
      ip(...inside, 'address', 'add', `${there}/30`, 'dev', far);
      ip(...inside, 'link', 'set', far, 'up');
    }
  }

  /** Names of network interfaces have at most fifteen letters. */
  #wire(letter: 'd' | 'c'): string {
    return `${this.#name}${letter}`;
  }
}

/** @throws Error when it is not allowed, or there is no such command */
function ip(...args: string[]): void {
  const { status, stderr, error } = spawnSync('ip', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${stderr || error?.message}`);
}
