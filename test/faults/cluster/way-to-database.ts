/** The way from one gate to the databases, which can be cut as a network is cut. */
import type { StartOptions } from '../gate/gate-process.ts';
import type { PrivateNetwork } from './private-network.ts';
import { Relay } from './relay.ts';

export interface Way {
  /** What it is, for whoever reads the result. */
  readonly shown: string;
  /** How a gate is started that is to use it. */
  readonly start: Pick<StartOptions, 'launcher' | 'host'>;
  /** Of the databases, as the gate sees it. */
  readonly databaseHost: string;
  readonly databasePorts: readonly number[];
  /** Nothing arrives any more in either direction, and nobody is told. */
  cut(): void;
  heal(): void;
  close(): void;
}

/**
 * @param ports of the databases on this machine
 * @param network null where there is none: then through proxies that drop
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
