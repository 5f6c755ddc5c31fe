/** The connection from one gate to the databases, which can be cut like a network. */
import type { StartOptions } from '../gate/gate-process.ts';
import type { PrivateNetwork } from './private-network.ts';
import { Relay } from './relay.ts';

export interface Way {
  /** The connection's description for the reader of the result. */
  readonly shown: string;
  /** How to start a gate that uses this connection. */
  readonly start: Pick<StartOptions, 'launcher' | 'host'>;
  /** The databases' host, as the gate sees it. */
  readonly databaseHost: string;
  readonly databasePorts: readonly number[];
  /** Nothing arrives in either direction, and neither side is informed. */
  cut(): void;
  heal(): void;
  close(): void;
}

/**
 * @param ports The databases' ports on this machine.
 * @param network Null if there is none: then proxies that drop data replace it.
 */
export async function openWay(network: PrivateNetwork | null, ports: readonly number[]): Promise<Way> {
  return network ? overNetwork(network, ports) : throughProxies(ports);
}

function overNetwork(network: PrivateNetwork, databasePorts: readonly number[]): Way {
  return {
    shown: 'the wire of its own network namespace',
    start: { launcher: network.launcher, host: network.gateHost },
    databaseHost: network.databaseHost,
    databasePorts,
    cut: () => network.cut(),
    heal: () => network.heal(),
    close: () => network.close(),
  };
}

async function throughProxies(ports: readonly number[]): Promise<Way> {
  const proxies = await Promise.all(ports.map((port) => Relay.open(() => port)));
  const each = (what: 'cut' | 'heal' | 'close') => () => {
    for (const proxy of proxies) proxy[what]();
  };
  return {
    shown: 'proxies that drop',
    start: {},
    databaseHost: '127.0.0.1',
    databasePorts: proxies.map(({ port }) => port),
    cut: each('cut'),
    heal: each('heal'),
    close: each('close'),
  };
}
