/** Looks up names that somebody else chose, and whose name servers may never answer. */
import { lookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

const TIMEOUT_MS = 2000;
const TRIES = 2;
/** A caller that has waited in the queue for this long has given up. */
const PATIENCE_MS = 5000;

let line: Promise<unknown> = Promise.resolve();

const HOSTS_FILE = '/etc/hosts';

/**
 * Entries in the operator's `/etc/hosts` apply first, as everywhere on the machine. Next, this asks name servers,
 * without using a thread. The system's own look-up occupies one of very few threads until there is an answer. Names
 * with silent servers would block all other look-ups, including the database's. So the system is asked one name at a
 * time, and only for names that no name server knows, such as short names.
 *
 * @param options.servers Name servers to use instead of the machine's.
 * @param options.hostsFile File to use instead of `/etc/hosts`.
 */
export async function resolveHost(
  host: string,
  {
    servers,
    timeoutMs = TIMEOUT_MS,
    hostsFile = HOSTS_FILE,
  }: { servers?: readonly string[]; timeoutMs?: number; hostsFile?: string } = {},
): Promise<readonly string[]> {
  const written = await readAddresses(hostsFile, host);
  if (written.length > 0) return written;
  // A new resolver each time, so that it uses the current name servers.
  const resolver = new Resolver({ timeout: timeoutMs, tries: TRIES });
  if (servers) resolver.setServers(servers);
  const asked = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const found = asked.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (found.length > 0) return found;
  for (const answer of asked) {
    if (answer.status === 'rejected' && answer.reason.code === 'ETIMEOUT') throw answer.reason;
  }
  return inLine(async () => (await lookup(host, { all: true })).map(({ address }) => address));
}

/** The addresses that the file gives the name (hosts(5)). None if there is no such file. */
async function readAddresses(file: string, host: string): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const name = host.toLowerCase().replace(/\.$/, '');
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    return isIP(address) !== 0 && names.some((known) => known.toLowerCase() === name) ? [address] : [];
  });
}

function inLine<T>(work: () => Promise<T>): Promise<T> {
  const since = performance.now();
  const mine = line.then(() => {
    if (performance.now() - since < PATIENCE_MS) return work();
    throw Object.assign(new Error('other names were looked up for too long'), { code: 'ETIMEOUT' });
  });
  line = mine.catch(() => undefined);
  return mine;
}
