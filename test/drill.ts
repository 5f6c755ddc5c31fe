/** A drill that a document describes: its commands, a folder to paste them in, and a gate to try them on. */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
const PERMITRY = join(ROOT, 'packages/cli/bin/permitry.js');

const REFUND = { action: 'payments.refund', params: { order: 'A-1001', amount: 120 } };

/** The section of a document, from its heading to the next of the same level. */
export function sectionOf(file: string, heading: string): string {
  const [, after = ''] = readFileSync(join(ROOT, file), 'utf8').split(`\n## ${heading}\n`);
  return after.split('\n## ')[0] ?? '';
}

export function commandsIn(section: string): string[] {
  return [...section.matchAll(/```bash\n(.*?)```/gs)].map(([, block]) => block ?? '');
}

/** The programs that cannot run here. */
export function missingOf(programs: readonly string[]): string[] {
  return programs.filter((program) => spawnSync(program, ['--version']).error !== undefined);
}

export class Drill {
  readonly folder: string;
  /** The running gate: its address, and the keys of its first project. */
  url = '';
  keys: Readonly<Record<string, string>> = {};
  #gate: ChildProcess | undefined;

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'permitry-drill-'));
    mkdirSync(join(this.folder, 'bin'));
    // Calls the program itself instead of npx, which takes a second each time.
    this.addProgram('npx', `shift\nexec '${process.execPath}' '${PERMITRY}' "$@"`);
  }

  /** Adds a shell script that runs instead of the program with that name. */
  addProgram(name: string, script: string): void {
    writeFileSync(join(this.folder, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }

  /** Starts the gate of the drill. */
  async serve(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<void> {
    this.#gate = spawn(process.execPath, [PERMITRY, 'serve', '--port', '0', '--json', ...args], {
      env: { ...process.env, ...env, PERMITRY_LOG_LEVEL: 'silent' },
      cwd: this.folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(this.#gate.stdout ?? this.#gate, 'data')) as [Buffer];
    const said = JSON.parse(line.toString()) as { base_url: string; credentials_file: string };
    this.url = said.base_url;
    this.keys = JSON.parse(readFileSync(said.credentials_file, 'utf8')) as Record<string, string>;
  }

  /** An unused approval of `REFUND`. */
  async approve(): Promise<string> {
    const { id } = await this.#post('/v1/intents', this.keys.agent_key, REFUND);
    return (await this.#post(`/v1/intents/${id}/approve`, this.keys.secret_key, {})).permit.token;
  }

  async use(token: string): Promise<void> {
    await this.#post('/v1/permits/validate', this.keys.verifier_key, { token, ...REFUND, consume: true });
  }

  async #post(
    path: string,
    key: string | undefined,
    body: object,
  ): Promise<{ id: string; permit: { token: string } }> {
    const response = await fetch(`${this.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await response.json()) as { id: string; permit: { token: string } };
  }

  /** Pastes commands into a shell in the folder, and returns their output. */
  async run(script: string, env: Readonly<Record<string, string>>): Promise<string> {
    const { stdout } = await promisify(execFile)(
      'bash',
      ['--norc', '-c', `set -e\ntrap 'kill $SERVER 2> /dev/null || true' EXIT\n${script}`],
      {
        env: {
          PERMITRY_LOG_LEVEL: 'silent',
          ...env,
          BASE_URL: this.url,
          PATH: `${join(this.folder, 'bin')}:${process.env.PATH}`,
        },
        cwd: this.folder,
      },
    );
    return stdout;
  }

  async close(): Promise<void> {
    if (this.#gate) {
      const ended = once(this.#gate, 'exit');
      this.#gate.kill('SIGTERM');
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}
