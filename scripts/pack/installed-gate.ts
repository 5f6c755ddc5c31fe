import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { delimiter, dirname } from 'node:path';
import { createInterface } from 'node:readline';

/** The variables that the quick starts and examples use. */
interface GateVariables {
  PERMITRY_URL: string;
  PERMITRY_KEY: string;
  PERMITRY_SECRET_KEY: string;
  PERMITRY_VERIFIER_KEY: string;
}

export interface InstalledGate {
  variables: GateVariables;
  end(): Promise<void>;
}

/** The environment of a command where this Node is `node`, without this gate's or npm's settings. */
export function plainEnvironment(): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => /^(HOME|LANG|TMPDIR|USER)$/.test(name));
  return {
    ...Object.fromEntries(kept.map(([name, value]) => [name, value ?? ''])),
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  };
}

/** Starts the gate that is installed in a folder, as a person would: `npx permitry serve`. */
export async function startInstalledGate(folder: string, data = 'data'): Promise<InstalledGate> {
  const args = ['permitry', 'serve', '--data', data, '--port', '0', '--json'];
  const gate = spawn('npx', ['--no-install', ...args], {
    cwd: folder,
    env: { ...plainEnvironment(), PERMITRY_LOG_LEVEL: 'silent' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // npx passes on no signal, so the whole process group must be ended.
    detached: true,
  });
  let complaints = '';
  gate.stderr.on('data', (chunk: Buffer) => {
    complaints += chunk.toString();
  });
  const gone = once(gate, 'close');
  const [line] = (await Promise.race([
    once(createInterface(gate.stdout), 'line'),
    gone.then(([code]) =>
      Promise.reject(new Error(`the gate ended with ${code} before it listened:\n${complaints}`)),
    ),
  ])) as [string];
  const { url, credentials_file } = JSON.parse(line) as { url: string; credentials_file: string };
  const shown = JSON.parse(await readFile(credentials_file, 'utf8')) as Record<string, string>;
  return {
    variables: {
      PERMITRY_URL: url,
      PERMITRY_KEY: shown.agent_key ?? '',
      PERMITRY_SECRET_KEY: shown.secret_key ?? '',
      PERMITRY_VERIFIER_KEY: shown.verifier_key ?? '',
    },
    end: async () => {
      if (gate.pid !== undefined && gate.exitCode === null) process.kill(-gate.pid, 'SIGTERM');
      await gone;
    },
  };
}
