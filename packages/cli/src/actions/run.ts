import { constants } from 'node:os';
import { type Intent, type Permitry, PermitryError, repeatUnderKey } from '@permitry/sdk';
import { CommandFailure } from '../command-failure.ts';
import { askFor } from '../intents/ask-for.ts';
import { EXIT_CODES } from '../intents/exit-codes.ts';
import { readObject } from '../intents/read-object.ts';
import { tellDecision } from '../intents/tell-decision.ts';
import { usePermit } from '../permits/use-permit.ts';
import { openClient } from '../profile/open-client.ts';
import { findCommand } from '../run/find-command.ts';
import { type Ended, runOnce } from '../run/run-once.ts';
import { type AskFlags, readTerms, tellPending } from './request.ts';

export interface RunFlags extends AskFlags {
  action: string;
}

/** As shells say it: what cannot be found, and what was found and cannot be started. */
const NOT_FOUND = 127;
const CANNOT_START = 126;

/**
 * Runs a command once, and only under a permit for exactly these words in this directory. stdout and stderr are the
 * command's; what is to be said of the permit goes to stderr before it starts.
 */
export async function run(argv: readonly string[], flags: RunFlags): Promise<void> {
  const [name = ''] = argv;
  const cwd = process.cwd();
  const more = await readObject('--params', flags.params);
  for (const taken of ['argv', 'cwd']) {
    if (Object.hasOwn(more, taken))
      throw new CommandFailure(2, `--params cannot say ${taken}: that is what will be run, and where.`);
  }
  // Asked before people are: what is not there, or is no program, cannot be run.
  const found = findCommand(name);
  if (found !== 'found') {
    const isThere = found === 'not_executable';
    say(
      flags,
      { status: 'not_run', reason: found },
      isThere ? `${name} is not executable (chmod +x).` : `There is no command ${name}.`,
    );
    process.exitCode = isThere ? CANNOT_START : NOT_FOUND;
    return;
  }
  const params = { ...more, argv: [...argv], cwd };
  const client = openClient(flags);
  const intent = await ask(client, { action: flags.action, params, ...(await readTerms(flags)) }, flags);
  if (!intent) return;
  if (intent.status !== 'approved') {
    if (intent.status === 'pending') await withdraw(client, intent.id);
    say(
      flags,
      { status: 'not_run', intent_id: intent.id, decision: intent.status },
      `Not run: ${tellDecision(intent)}`,
    );
    process.exitCode = EXIT_CODES[intent.status];
    return;
  }
  await usePermit(client, intent, params);
  const ended = await runOnce(argv, cwd);
  process.exitCode = exitCodeOf(ended);
  await report(client, intent.id, ended, flags);
  if (flags.json)
    process.stderr.write(
      `${JSON.stringify({ status: 'run', intent_id: intent.id, exit_code: process.exitCode })}\n`,
    );
}

/** Undefined when somebody ended the wait; the request is taken back then, for nobody would use its permit. */
async function ask(
  client: Permitry,
  input: Parameters<typeof askFor>[1],
  flags: RunFlags,
): Promise<Intent | undefined> {
  const ending = new AbortController();
  let endedBy: NodeJS.Signals | undefined;
  let asked: string | undefined;
  const end = (signal: NodeJS.Signals): void => {
    endedBy ??= signal;
    ending.abort();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, end);
  try {
    const intent = await askFor(client, input, {
      waitSeconds: flags.wait,
      signal: ending.signal,
      onPending(pending) {
        asked = pending.id;
        if (flags.json)
          process.stderr.write(
            `${JSON.stringify({ status: 'pending', intent_id: pending.id, approval_url: pending.approval_url })}\n`,
          );
        else tellPending(pending, flags.wait);
      },
    });
    if (endedBy === undefined) return intent;
    asked ??= intent.id;
  } catch (error) {
    if (endedBy === undefined) throw error;
  } finally {
    for (const signal of signals) process.off(signal, end);
  }
  if (asked !== undefined) await withdraw(client, asked);
  say(
    flags,
    { status: 'not_run', intent_id: asked ?? null, reason: 'withdrawn' },
    'Not run: the request was withdrawn.',
  );
  process.exitCode = 128 + constants.signals[endedBy ?? 'SIGINT'];
  return undefined;
}

async function withdraw(client: Permitry, id: string): Promise<void> {
  try {
    await client.intents.withdraw(id);
  } catch (error) {
    // It was decided in this very moment; the permit runs out by itself, unused.
    if (!(error instanceof PermitryError)) throw error;
  }
}

function exitCodeOf(ended: Ended): number {
  if (ended.kind === 'not_started') return CANNOT_START;
  return ended.kind === 'exited' ? ended.code : 128 + constants.signals[ended.signal];
}

/** It ran, whatever the gate hears of it: the exit code stays the command's. */
async function report(client: Permitry, id: string, ended: Ended, flags: RunFlags): Promise<void> {
  const succeeded = ended.kind === 'exited' && ended.code === 0;
  const detail = {
    not_started: () => 'could not be started',
    exited: () => `exit code ${exitCodeOf(ended)}`,
    killed: () => `ended by ${ended.kind === 'killed' ? ended.signal : ''}`,
  }[ended.kind]();
  if (ended.kind === 'not_started') say(flags, { warning: detail }, `The command ${detail}: ${ended.reason}`);
  try {
    await repeatUnderKey((idempotencyKey) =>
      client.intents.reportOutcome(
        id,
        { outcome: succeeded ? 'succeeded' : 'failed', detail },
        { idempotencyKey },
      ),
    );
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    say(flags, { warning: 'outcome_not_reported' }, `The gate was not told how it ended: ${why}`);
  }
}

function say({ json }: RunFlags, forPrograms: object, sentence: string): void {
  process.stderr.write(json ? `${JSON.stringify(forPrograms)}\n` : `permitry: ${sentence}\n`);
}
