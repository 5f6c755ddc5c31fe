import { type Config, type FirstCredentials, listProjects, makeSetUpLink } from '@permitry/server';
import { type RunningServer, startServer } from '@permitry/server/serve';
import { explainListening } from '../explain-listening.ts';
import { showCredentials } from '../first-credentials/show-credentials.ts';
import { writeCredentialsFile } from '../first-credentials/write-credentials-file.ts';
import { nameOfGate } from '../name-of-gate.ts';
import { OPERATOR } from '../operator.ts';
import { readSettings, type SettingFlags } from '../read-settings.ts';
import { announcement, credentialsLine, type Served, servedAsJson, welcome } from '../served.ts';
import { stopOnSignal } from '../stop-on-signal.ts';
import { initialiseIfEmpty } from './init.ts';

export type ServeFlags = SettingFlags & { json?: true };

export async function serve(flags: ServeFlags): Promise<void> {
  const onTerminal = process.stdout.isTTY === true && !flags.json;
  const config = withQuietTerminal(readSettings(flags), flags, onTerminal);
  let credentials: FirstCredentials | null = null;
  let credentialsFile: string | null = null;
  let setUpUrl: string | null = null;
  const server = await startServer(config, {
    async prepare(gate) {
      credentials = await initialiseIfEmpty(gate);
      setUpUrl = await makeSetUpLink(gate);
      if (credentials && !onTerminal)
        credentialsFile = writeCredentialsFile(config, { ...credentials, set_up_url: setUpUrl });
      if (credentialsFile !== null && !flags.json) process.stdout.write(credentialsLine(credentialsFile));
    },
  }).catch((error: unknown) => {
    // They exist nowhere else.
    if (credentials && onTerminal) process.stdout.write(showCredentials(credentials));
    throw explainListening(error, config);
  });
  const stopped = stopOnSignal(server, (line) => process.stderr.write(`${line}\n`), config.drainDelaySeconds);
  const served: Served = {
    baseUrl: server.gate.issuer,
    address: server.url,
    place: nameOfGate(config),
    credentials,
    credentialsFile,
    setUpUrl,
  };
  if (flags.json) process.stdout.write(servedAsJson(served));
  else if (onTerminal) process.stdout.write(welcome(served));
  else process.stderr.write(announcement(served));
  for (const warning of await warningsFor(server, config))
    process.stderr.write(`permitry: warning: ${warning}\n`);
  await stopped;
}

/** On a terminal a line for each request would bury what there is to read; whoever wants them asks for them. */
function withQuietTerminal(config: Config, flags: ServeFlags, onTerminal: boolean): Config {
  const asked = flags.logLevel ?? process.env.PERMITRY_LOG_LEVEL;
  return onTerminal && !asked ? { ...config, logLevel: 'warn' } : config;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

/** What a gate that others can reach may be missing. */
async function warningsFor({ gate }: RunningServer, { host, baseUrl }: Config): Promise<string[]> {
  if (LOOPBACK.test(host)) return [];
  const warnings: string[] = [];
  if (baseUrl === null)
    warnings.push(
      `approval links and permits say ${gate.issuer}, which others cannot reach. Set --base-url to the address people and agents use`,
    );
  const projects = baseUrl?.startsWith('https://') ? [] : await listProjects(gate, OPERATOR);
  if (projects.some(({ mode }) => mode === 'live'))
    warnings.push(
      'a live project is served beyond this machine without https; keys and permits can be read on the way. Put it behind TLS and set --base-url https://…',
    );
  return warnings;
}
