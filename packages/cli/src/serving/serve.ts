import {
  type Config,
  type FirstCredentials,
  GateError,
  initialiseGate,
  isSetUpNeeded,
  listProjects,
  makeFirstSetUpLink,
  makeSetUpLink,
  type OpenGate,
} from '@permitry/server';
import { type RunningServer, startServer } from '@permitry/server/serve';
import { showCredentials } from '../first-credentials/show-credentials.ts';
import {
  forgetUnshown,
  keepUnshown,
  moveToCredentialsFile,
  readUnshown,
} from '../first-credentials/unshown-credentials.ts';
import { writeWithLink } from '../first-credentials/write-privately.ts';
import { FIRST_PROJECT } from '../first-project.ts';
import { flagOfGate, nameOfGate, OPERATOR } from '../open-gate.ts';
import { readSettings, type SettingFlags } from '../read-settings.ts';
import { explainListening } from './explain-listening.ts';
import { findMissingBaseUrl, isBeyondThisMachine } from './missing-base-url.ts';
import { announcement, credentialsLine, type Served, type SetUp, servedAsJson, welcome } from './served.ts';
import { stopOnSignal } from './stop-on-signal.ts';

export type ServeFlags = SettingFlags & { json?: true };

export async function serve(flags: ServeFlags): Promise<void> {
  const onTerminal = process.stdout.isTTY === true && !flags.json;
  const config = withQuietTerminal(await readSettings(flags), flags, onTerminal);
  let credentials: FirstCredentials | null = null;
  let credentialsFile: string | null = null;
  let setUp: SetUp = { isNeeded: false, url: null };
  const server = await startServer(config, {
    async prepare(gate) {
      const first = await readFirst(gate, config, onTerminal);
      ({ credentials, credentialsFile, setUp } = first);
      if (credentialsFile !== null && !flags.json) process.stdout.write(credentialsLine(credentialsFile));
    },
  }).catch((error: unknown) => {
    if (credentials && onTerminal) {
      process.stdout.write(showCredentials(credentials));
      forgetUnshown(config, credentials);
    }
    throw explainListening(error, config);
  });
  const stopped = stopOnSignal(server, (line) => process.stderr.write(`${line}\n`), config.drainDelaySeconds);
  const served: Served = {
    baseUrl: server.gate.issuer,
    address: server.url,
    location: nameOfGate(config),
    flag: flagOfGate(config),
    credentials,
    credentialsFile,
    setUp,
  };
  if (flags.json) process.stdout.write(servedAsJson(served));
  else if (onTerminal) {
    process.stdout.write(welcome(served, process.stdout.columns || 80));
    if (credentials) forgetUnshown(config, credentials);
  } else process.stderr.write(announcement(served));
  for (const warning of await warningsFor(server, config))
    process.stderr.write(`permitry: warning: ${warning}\n`);
  await stopped;
}

type Gate = OpenGate['gate'];

interface First {
  credentials: FirstCredentials | null;
  credentialsFile: string | null;
  setUp: SetUp;
}

/**
 * The first keys, if this start created them or no start has shown them yet, and the link of the first sign-in. The
 * link goes to a terminal or next to those keys, and nowhere else: too many people read a log.
 */
async function readFirst(gate: Gate, config: Config, onTerminal: boolean): Promise<First> {
  await initialiseIfEmpty(gate, config);
  const [project] = await listProjects(gate, OPERATOR);
  const unshown = project ? readUnshown(config, project.id) : null;
  // Runs before the link is created. If another start has moved the keys, this start must not replace the other start's
  // link.
  const credentialsFile = unshown && !onTerminal ? moveToCredentialsFile(config, unshown) : null;
  const credentials = onTerminal || credentialsFile !== null ? unshown : null;
  // With keys to show, creates a new link: nobody has seen the link of an earlier start that showed nothing.
  const url = credentials ? await makeSetUpLink(gate) : onTerminal ? await makeFirstSetUpLink(gate) : null;
  if (credentials && credentialsFile !== null)
    writeWithLink(config, credentialsFile, { ...credentials, set_up_url: url });
  return { credentials, credentialsFile, setUp: { isNeeded: await isSetUpNeeded(gate.storage.read), url } };
}

/**
 * Creates the first project, and keeps its keys as unshown from before the commit on. Does nothing when the gate
 * already has a project, even one that another process has just created.
 */
async function initialiseIfEmpty(gate: Gate, config: Config): Promise<void> {
  try {
    await initialiseGate(
      gate,
      { mode: 'test', projectName: FIRST_PROJECT.project, ownerEmail: FIRST_PROJECT.owner },
      OPERATOR,
      (credentials) => keepUnshown(config, credentials),
    );
  } catch (error) {
    if (!(error instanceof GateError && error.code === 'conflict')) throw error;
  }
}

/** On a terminal, a line for each request would bury everything else. People who want these lines can ask for them. */
function withQuietTerminal(config: Config, flags: ServeFlags, onTerminal: boolean): Config {
  const asked = flags.logLevel ?? process.env.PERMITRY_LOG_LEVEL;
  return onTerminal && !asked ? { ...config, logLevel: 'warn' } : config;
}

/** Warns about settings that a gate may lack if others can reach it. */
async function warningsFor({ gate }: RunningServer, config: Config): Promise<string[]> {
  if (!isBeyondThisMachine(config)) return [];
  const { baseUrl } = config;
  const missing = findMissingBaseUrl(config, gate.issuer);
  const warnings = missing === undefined ? [] : [missing];
  const projects = baseUrl?.startsWith('https://') ? [] : await listProjects(gate, OPERATOR);
  if (projects.some(({ mode }) => mode === 'live'))
    warnings.push(
      'a project in live mode is served to other machines without https, so others on the network can read keys and permits. Put the gate behind TLS and set --base-url https://…',
    );
  return warnings;
}
