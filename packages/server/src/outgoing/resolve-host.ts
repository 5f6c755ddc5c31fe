/** Owns how the addresses of a name are found that somebody chose, whose own servers may never answer. */
import { lookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

const TIMEOUT_MS = 2000;
const TRIES = 2;
/** Whoever stood in line for so long has given up. */
const PATIENCE_MS = 5000;

let line: Promise<unknown> = Promise.resolve();

const HOSTS_FILE = '/etc/hosts';

/**
 * What the operator wrote into `/etc/hosts` holds, as everywhere on the machine. Then name servers are asked, without a
 * thread. The system's own look-up holds one of very few until there is an answer: with names whose servers are silent
 * somebody would keep all others from being found, the database's among them. It is asked, by one at a time, for what
 * no name server knows, such as short names.
 *
 * @param options.servers In place of the machine's.
 * @param options.hostsFile In place of `/etc/hosts`.
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
  // A new one each time, so that it knows the name servers of now.
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

/** Those that the file gives the name (hosts(5)); none where there is no such file. */
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
