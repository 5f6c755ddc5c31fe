import { spawn } from 'node:child_process';

export type Ended =
  | { kind: 'exited'; code: number }
  | { kind: 'killed'; signal: NodeJS.Signals }
  | { kind: 'not_started'; reason: string };

/** Signals that are passed on. */
const PASSED_ON = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const;
/** A terminal sends these to all processes in its foreground, including the command. */
const BY_THE_TERMINAL: readonly string[] = ['SIGINT', 'SIGQUIT'];

/**
 * Runs the command without a shell: exactly what `argv` contains. It shares our terminal and our environment, except
 * for the credential: the approval covers this command, not everything that the key may do.
 */
export function runOnce(argv: readonly string[], cwd: string): Promise<Ended> {
  const [command = '', ...args] = argv;
  const { PERMITRY_KEY: _key, PERMITRY_KEY_FILE: _file, ...env } = process.env;
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio: 'inherit', shell: false });
    const pass = (signal: NodeJS.Signals): void => {
      if (!(process.stdin.isTTY && BY_THE_TERMINAL.includes(signal))) child.kill(signal);
    };
    for (const signal of PASSED_ON) process.on(signal, pass);
    const end = (ended: Ended): void => {
      for (const signal of PASSED_ON) process.off(signal, pass);
      resolve(ended);
    };
    child.once('error', (error) => end({ kind: 'not_started', reason: error.message }));
    child.once('exit', (code, signal) =>
      end(signal === null ? { kind: 'exited', code: code ?? 1 } : { kind: 'killed', signal }),
    );
  });
}
