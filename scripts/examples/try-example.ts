/** Tries an example as its README says: in an empty folder, with the packed packages and a separate gate. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { installPackages } from '../pack/install-packages.ts';
import { plainEnvironment, startInstalledGate } from '../pack/installed-gate.ts';
import { ROOT } from '../pack/published-packages.ts';

const LONGEST_MS = 120_000;

export interface ExampleResult {
  ok: boolean;
  seconds: number;
  /** The output of its commands. */
  said: string;
}

/**
 * Copies `examples/<name>`, installs the dependencies in its package.json, starts a gate, and runs the commands of its
 * README.
 *
 * @param gateFolder Where `permitry` is installed. Each example gets its own data directory in it.
 * @throws Error for a README without commands, or when something cannot be installed or started
 */
export async function tryExample(name: string, gateFolder: string): Promise<ExampleResult> {
  const folder = await mkdtemp(join(tmpdir(), `permitry-example-${name}-`));
  try {
    await copyExample(name, folder);
    await installPackages(folder);
    return await runExample(folder, gateFolder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Copies the example as committed, without packages that somebody installed in its folder. */
export async function copyExample(name: string, folder: string): Promise<void> {
  const filter = (path: string) => basename(path) !== 'node_modules';
  await cp(join(ROOT, 'examples', name), folder, { recursive: true, filter });
}

/** Runs the commands of the README in a folder where everything is installed. */
export async function runExample(folder: string, gateFolder: string): Promise<ExampleResult> {
  const commands = readCommands(await readFile(join(folder, 'README.md'), 'utf8'));
  const gate = await startInstalledGate(gateFolder, `data-${basename(folder)}`);
  const began = Date.now();
  try {
    const env = { ...plainEnvironment(), ...gate.variables, XDG_CONFIG_HOME: folder };
    const { code, said } = await runCommands(commands, folder, env);
    return { ok: code === 0, seconds: (Date.now() - began) / 1000, said };
  } finally {
    await gate.end();
  }
}

/** Matches the only shell block in a README. The installation was done before it. */
export function readCommands(readme: string): string {
  const blocks = [...readme.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block ?? '');
  const [block] = blocks;
  if (block === undefined || blocks.length > 1)
    throw new Error(`its README has ${blocks.length} shell blocks; it must have exactly one`);
  return block;
}

async function runCommands(
  commands: string,
  cwd: string,
  env: Record<string, string>,
): Promise<{ code: number | null; said: string }> {
  const shell = spawn('bash', ['--norc', '--noprofile', '-e', '-c', commands], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A separate process group, so that everything that the commands leave running can be ended.
    detached: true,
  });
  let said = '';
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
  }
  const end = () => {
    try {
      if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGTERM');
    } catch {
      // All processes have ended already.
    }
  };
  const timer = setTimeout(end, LONGEST_MS);
  const [code] = (await once(shell, 'exit')) as [number | null];
  clearTimeout(timer);
  end();
  return { code, said };
}
