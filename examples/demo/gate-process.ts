/** Owns the gate's process: `permitry init` on a fresh directory, then `permitry serve` until the demo stops it. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** What `permitry init --json` prints once. */
export interface Credentials {
  project_id: string;
  owner_email: string;
  agent_id: string;
  secret_key: string;
  agent_key: string;
  verifier_key: string;
}

export interface GateProcess {
  /** The address at which the gate listens. */
  url: string;
  /** The gate's own name: the `iss` of its permits. */
  issuer: string;
  pid: number;
  credentials: Credentials;
  /** Sends SIGTERM and waits. */
  stop(): Promise<{ exitCode: number | null; milliseconds: number }>;
}

const PERMITRY = fileURLToPath(new URL('../../packages/cli/bin/permitry.js', import.meta.url));

export async function startGate(
  dataDir: string,
  onStart: (child: ChildProcess) => void,
): Promise<GateProcess> {
  const env = withoutSettings(process.env);
  const initialise = [PERMITRY, 'init', '--data', dataDir, '--mode', 'test', '--project', 'Demo', '--json'];
  const initialising = promisify(execFile)(process.execPath, initialise, { env });
  onStart(initialising.child);
  const { stdout } = await initialising;
  const credentials = JSON.parse(stdout) as Credentials;

  const serve = [PERMITRY, 'serve', '--data', dataDir, '--port', '0', '--log-level', 'error', '--json'];
  const child = spawn(process.execPath, serve, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  onStart(child);
  const url = await readAddress(child);
  return {
    url,
    issuer: `http://localhost:${new URL(url).port}`,
    pid: child.pid ?? 0,
    credentials,
    async stop() {
      const startedAt = performance.now();
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const [exitCode] = (await ended) as [number | null];
      return { exitCode, milliseconds: Math.round(performance.now() - startedAt) };
    },
  };
}

/** With `--json`, the first line on stdout is the address, written once the gate listens. */
async function readAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    let complained = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complained += text;
    });
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('\n')) resolve((JSON.parse(said) as { url: string }).url);
    });
    child.once('error', reject);
    child.once('exit', (code) =>
      reject(new Error(`permitry serve ended with exit code ${code} before it listened:\n${complained}`)),
    );
  });
}

/** Settings in the environment are meant for another gate. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('PERMITRY_')));
}
