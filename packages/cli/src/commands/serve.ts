import {
  type Config,
  type FirstCredentials,
  listProjects,
  type RunningServer,
  startServer,
} from '@permitry/server';
import type { Command } from 'commander';
import { claimPort } from '../claim-port.ts';
import { dataOption, examples } from '../command-options.ts';
import { curlLines } from '../first-credentials/curl-lines.ts';
import { showCredentials } from '../first-credentials/show-credentials.ts';
import { writeCredentialsFile } from '../first-credentials/write-credentials-file.ts';
import { withOpenGate } from '../open-gate-for-admin.ts';
import { OPERATOR } from '../operator.ts';
import { paint } from '../paint.ts';
import { readSettings, type SettingFlags } from '../read-settings.ts';
import { stopOnSignal } from '../stop-on-signal.ts';
import { initialiseIfEmpty } from './init.ts';

type ServeFlags = SettingFlags & { json?: true };

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .summary('start the gate')
    .description(
      'Starts the gate. An empty data directory gets a first project in test mode: its keys are shown on a\nterminal, and written to DATA/credentials.json (mode 0600) without one.',
    )
    .addOption(dataOption())
    .option('--port <n>', 'port, 0 for any free one (PERMITRY_PORT; 8787 when left out)')
    .option('--host <h>', 'address to listen on (PERMITRY_HOST; 127.0.0.1 when left out)')
    .option('--base-url <url>', 'the address people and agents use (PERMITRY_BASE_URL)')
    .option(
      '--rate-limit <n>',
      'requests per minute and project, 0 for no limit (PERMITRY_RATE_LIMIT_PER_MINUTE)',
    )
    .option('--log-level <level>', 'fatal, error, warn, info, debug, trace or silent (PERMITRY_LOG_LEVEL)')
    .option('--trust-proxy <whom>', 'whose X-Forwarded-For is believed (PERMITRY_TRUST_PROXY)')
    .option('--metrics-port <n>', 'port of its own for /metrics (PERMITRY_METRICS_PORT)')
    .option('--json', 'say where it listens as one line of JSON on stdout')
    .addHelpText(
      'after',
      examples(
        'permitry serve',
        'permitry serve --data /var/lib/permitry --base-url https://gate.example.org',
      ),
    )
    .action(serve);
}

async function serve(flags: ServeFlags): Promise<void> {
  const onTerminal = process.stdout.isTTY === true && !flags.json;
  const settings = withQuietTerminal(readSettings(flags), flags, onTerminal);
  // Found out before anything is made: credentials are shown once, and not above an error.
  const config = { ...settings, port: await claimPort(settings.host, settings.port) };
  const credentials = await withOpenGate(config, initialiseIfEmpty);
  const credentialsFile =
    credentials && !onTerminal ? writeCredentialsFile(config.dataDir, credentials) : null;

  const server = await startServer(config).catch((error: unknown) => {
    // They exist nowhere else.
    if (credentials && onTerminal) process.stdout.write(showCredentials(credentials));
    throw error;
  });
  const address = addressFor(config, server.port);
  const stopped = stopOnSignal(server, (line) => process.stderr.write(`${line}\n`));
  if (flags.json) sayAsJson({ address, config, credentialsFile });
  else if (onTerminal) process.stdout.write(welcome({ address, config, credentials }));
  else process.stderr.write(announcement({ address, credentialsFile }));
  await warnOfPlainHttp(server, config);
  await stopped;
}

/** On a terminal a line for each request would bury what there is to read; whoever wants them asks for them. */
function withQuietTerminal(config: Config, flags: ServeFlags, onTerminal: boolean): Config {
  const asked = flags.logLevel ?? process.env.PERMITRY_LOG_LEVEL;
  return onTerminal && !asked ? { ...config, logLevel: 'warn' } : config;
}

/** Where this machine reaches it. */
function addressFor({ host }: Config, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

function welcome({
  address,
  config,
  credentials,
}: {
  address: string;
  config: Config;
  credentials: FirstCredentials | null;
}): string {
  const first =
    credentials === null
      ? ''
      : `${config.dataDir} was empty: made a first project in test mode.
${showCredentials(credentials)}
${paint('bold', 'Paste this into another terminal to walk the whole path:')}

${curlLines(address, credentials)}
`;
  return `${first}${paint('green', 'Permitry is listening on')} ${paint('bold', address)}
  docs  ${address}/docs
  data  ${config.dataDir}
  stop  Ctrl-C
`;
}

function announcement({
  address,
  credentialsFile,
}: {
  address: string;
  credentialsFile: string | null;
}): string {
  const first =
    credentialsFile === null
      ? ''
      : `permitry: made a first project in test mode; its credentials are in ${credentialsFile}\n`;
  return `${first}permitry: listening on ${address}, docs at ${address}/docs; SIGTERM stops it\n`;
}

function sayAsJson({
  address,
  config,
  credentialsFile,
}: {
  address: string;
  config: Config;
  credentialsFile: string | null;
}): void {
  const line = {
    url: address,
    docs: `${address}/docs`,
    data: config.dataDir,
    credentials_file: credentialsFile,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

async function warnOfPlainHttp({ gate }: RunningServer, { host, baseUrl }: Config): Promise<void> {
  if (LOOPBACK.test(host) || baseUrl?.startsWith('https://')) return;
  const projects = await listProjects(gate, OPERATOR);
  if (!projects.some(({ mode }) => mode === 'live')) return;
  process.stderr.write(
    'permitry: warning: a live project is served beyond this machine without https; keys and permits can be read on the way. Put it behind TLS and set --base-url https://…\n',
  );
}
