import { constants } from 'node:os';
import { PROOF_TIERS, RISK_TIERS, SOURCE_TYPES, type SourceType } from '@permitry/protocol';
import type { CreateIntent, Intent, Permitry } from '@permitry/sdk';
import { type Command, Option } from 'commander';
import { refused, usage } from '../command-failure.ts';
import { examples, remoteCommand } from '../command-options.ts';
import { parseDuration, spell, wholeNumber } from '../input/parse-argument.ts';
import { askFor } from '../intents/ask-for.ts';
import { EXIT_CODES, EXIT_CODES_HELP } from '../intents/exit-codes.ts';
import { readObject } from '../intents/read-object.ts';
import { tellDecision } from '../intents/tell-decision.ts';
import { printLine } from '../printing/print.ts';
import { duration, sayVisibly } from '../printing/say.ts';
import { type ConnectionFlags, openClient } from '../profile/open-client.ts';
import { findCommand } from '../run/find-command.ts';
import { type Ended, runOnce } from '../run/run-once.ts';

const MONTH_SECONDS = 30 * 86_400;
const USUAL_WAIT_SECONDS = 300;

export function addRequestCommands(program: Command): void {
  askOptions(remoteCommand(program, 'request', 'request approval for an action and wait for the decision'))
    .description(
      'Request approval for an action and wait for the decision. Use it in scripts and CI before a protected step. With --json, it prints one line while the request is pending and one line with the decision.',
    )
    .argument('<action>', 'name of the action, such as deploy.production')
    .option('--params <json>', "parameters of the action: '{…}', @FILE or - for stdin")
    .option('--consume', 'use the permit at once, so that what follows may run')
    .addOption(
      new Option('--output <form>', 'permit: print only the permit on stdout')
        .choices(['text', 'permit', 'json'])
        .default('text'),
    )
    .option('--idempotency-key <key>', 'the same key sends the same request only once')
    .addHelpText(
      'after',
      `${examples(
        'permitry request deploy.production --params \'{"version":"1.4.2"}\'',
        'permitry request db.migrate --wait 30m --consume && ./migrate.sh',
      )}${EXIT_CODES_HELP}`,
    )
    .action(request);

  askOptions(remoteCommand(program, 'run', 'run a command once it is approved'))
    .description(
      'Request approval for exactly this command in this directory, wait, and run it once, without a shell. Output and exit code are those of the command, and its outcome is reported to the gate. Ctrl-C during the wait withdraws the request. The command does not receive PERMITRY_KEY. With --json, messages about the permit are JSON on stderr.',
    )
    .usage('[options] -- <command> [args...]')
    .argument('<command...>', 'the command and its arguments')
    .option('--action <name>', 'name of the action', 'command.run')
    .option('--params <json>', "parameters besides argv and cwd: '{…}' or @FILE")
    .passThroughOptions()
    .addHelpText(
      'after',
      `${examples('permitry run -- terraform apply plan.out')}
Exit codes: the command's own once it runs. Before that: 3 denied; 4 expired;
5 still pending when the wait ended; 127 command not found; 126 it cannot be
started; 1 refused for another reason; 2 usage.
`,
    )
    .action(run);
}

function askOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--wait <time>', 'longest time to wait; 0s does not wait')
        .argParser(parseDuration(0, MONTH_SECONDS))
        .default(USUAL_WAIT_SECONDS, spell(USUAL_WAIT_SECONDS)),
    )
    .option('--approvers <names>', 'people, groups or role:…, separated by commas', (text) =>
      text.split(',').map((name) => name.trim()),
    )
    .option('--min-approvals <n>', 'number of people who must approve', wholeNumber(1, 20))
    .option('--expires-in <time>', 'time until the request expires', parseDuration(1, MONTH_SECONDS))
    .option('--reason <text>', 'explanation, shown to approvers as your own words')
    .option('--metadata <json>', 'a JSON object, also shown to approvers')
    .addOption(new Option('--risk-tier <tier>', 'minimum risk').choices(RISK_TIERS))
    .addOption(new Option('--proof-tier <tier>', 'minimum proof of presence').choices(PROOF_TIERS))
    .option('--source <name>', 'name of the requester, for secret keys')
    .addOption(
      new Option('--source-type <type>', 'self-reported type of the requester').choices(SOURCE_TYPES),
    );
}

/** Flags that `request` and `run` share. */
interface AskFlags extends ConnectionFlags {
  params?: string;
  metadata?: string;
  reason?: string;
  approvers?: string[];
  minApprovals?: number;
  riskTier?: CreateIntent['risk_tier'];
  proofTier?: CreateIntent['proof_tier'];
  source?: string;
  sourceType?: SourceType;
  /** Seconds. */
  expiresIn?: number;
  /** Seconds. */
  wait: number;
}

interface RequestFlags extends AskFlags {
  consume?: true;
  output: 'text' | 'permit' | 'json';
  idempotencyKey?: string;
}

/** Everything in a request except its action and parameters. */
async function readTerms(flags: AskFlags): Promise<Omit<CreateIntent, 'action' | 'params'>> {
  const metadata = await readObject('--metadata', flags.metadata);
  if (flags.reason !== undefined && Object.hasOwn(metadata, 'reason'))
    throw usage('--reason sets "reason" in the metadata, which --metadata also has. Leave one of them out.');
  const words = { ...metadata, ...(flags.reason === undefined ? {} : { reason: flags.reason }) };
  return {
    ...(Object.keys(words).length === 0 ? {} : { metadata: words }),
    ...(flags.approvers === undefined ? {} : { approvers: flags.approvers }),
    ...(flags.minApprovals === undefined ? {} : { min_approvals: flags.minApprovals }),
    ...(flags.riskTier === undefined ? {} : { risk_tier: flags.riskTier }),
    ...(flags.proofTier === undefined ? {} : { proof_tier: flags.proofTier }),
    ...(flags.source === undefined ? {} : { source: flags.source }),
    ...(flags.sourceType === undefined ? {} : { source_type: flags.sourceType }),
    ...(flags.expiresIn === undefined ? {} : { expires_in: flags.expiresIn }),
  };
}

async function request(action: string, flags: RequestFlags): Promise<void> {
  const output = flags.json ? 'json' : flags.output;
  if (flags.params === '-' && flags.metadata === '-')
    throw usage('Only one of --params and --metadata can be read from stdin.');
  if (flags.consume && output === 'permit')
    throw usage(
      '--output permit prints a permit for later, and --consume uses it up at once. Leave one of them out.',
    );
  const params = await readObject('--params', flags.params);
  const client = await openClient(flags);
  const input = { action, params, ...(await readTerms(flags)) };
  const intent = await askFor(client, input, {
    waitSeconds: flags.wait,
    onPending: (pending) => (output === 'json' ? printLine(pending) : tellPending(pending, flags.wait)),
    ...(flags.idempotencyKey === undefined ? {} : { idempotencyKey: flags.idempotencyKey }),
  });
  const used = intent.status === 'approved' && flags.consume;
  if (used) {
    const { usePermit } = await import('@permitry/sdk/steps');
    await usePermit(client, intent, params);
  }
  // A request that is still pending was already printed.
  if (output === 'json') {
    if (intent.status !== 'pending')
      printLine({ ...intent, ...(flags.consume ? { consumed: used === true } : {}) });
  } else if (output === 'permit' && intent.status === 'approved')
    process.stdout.write(`${tokenOf(intent)}\n`);
  else
    (output === 'permit' ? process.stderr : process.stdout).write(
      `${tellDecision(intent)}${used ? '. The permit was used.' : ''}\n`,
    );
  process.exitCode = EXIT_CODES[intent.status];
}

/** Writes to stderr, so that the command's result stays separate. */
function tellPending(intent: Intent, waitSeconds: number): void {
  const waits = waitSeconds === 0 ? '' : `Waiting up to ${duration(waitSeconds)} …\n`;
  process.stderr.write(
    `${sayVisibly(intent.action)} (${intent.id}) is pending. Review it at ${sayVisibly(intent.approval_url)}\n${waits}`,
  );
}

function tokenOf({ id, permit }: Intent): string {
  if (permit?.token !== undefined) return permit.token;
  throw refused(
    `${id} is approved, but your key or sign-in may not see its permit. The requester can collect it.`,
  );
}

interface RunFlags extends AskFlags {
  action: string;
}

/** The shell's codes for a command that is not found, and for one that cannot be started. */
const NOT_FOUND = 127;
const CANNOT_START = 126;

/**
 * Runs a command once, and only under a permit for exactly these words in this directory. stdout and stderr belong to
 * the command. Messages about the permit go to stderr before the command starts.
 */
async function run(argv: readonly string[], flags: RunFlags): Promise<void> {
  const [name = ''] = argv;
  const cwd = process.cwd();
  const more = await readObject('--params', flags.params);
  for (const taken of ['argv', 'cwd']) {
    if (Object.hasOwn(more, taken)) throw usage(`--params must not contain ${taken}: permitry run sets it.`);
  }
  // Checked before the request is sent: a command that is missing, or is not a program, cannot run.
  const found = findCommand(name);
  if (found !== 'found') {
    const isThere = found === 'not_executable';
    say(
      flags,
      { status: 'not_run', reason: found },
      isThere
        ? `${name} is not executable. Make it executable with: chmod +x`
        : `Command not found: ${name}.`,
    );
    process.exitCode = isThere ? CANNOT_START : NOT_FOUND;
    return;
  }
  const params = { ...more, argv: [...argv], cwd };
  const client = await openClient(flags);
  const intent = await ask(client, { action: flags.action, params, ...(await readTerms(flags)) }, flags);
  if (!intent) return;
  if (intent.status !== 'approved') {
    const why =
      intent.status === 'pending'
        ? `nobody decided in time, and ${await withdraw(client, intent.id)}`
        : tellDecision(intent);
    say(flags, { status: 'not_run', intent_id: intent.id, decision: intent.status }, `Not run: ${why}`);
    process.exitCode = EXIT_CODES[intent.status];
    return;
  }
  const { usePermit } = await import('@permitry/sdk/steps');
  await usePermit(client, intent, params);
  const ended = await runOnce(argv, cwd);
  process.exitCode = exitCodeOf(ended);
  await report(client, intent.id, ended, flags);
  if (flags.json)
    process.stderr.write(
      `${JSON.stringify({ status: 'run', intent_id: intent.id, exit_code: process.exitCode })}\n`,
    );
}

/** Undefined when a person interrupted the wait. The request is then withdrawn, because nobody would use its permit. */
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
  const why = asked === undefined ? WITHDRAWN : await withdraw(client, asked);
  say(flags, { status: 'not_run', intent_id: asked ?? null, reason: 'withdrawn' }, `Not run: ${why}`);
  process.exitCode = 128 + constants.signals[endedBy ?? 'SIGINT'];
  return undefined;
}

const WITHDRAWN = 'the request was withdrawn.';

/** Returns the result as part of a sentence. A request that was decided at this moment is not withdrawn. */
async function withdraw(client: Permitry, id: string): Promise<string> {
  const { PermitryError } = await import('@permitry/sdk');
  try {
    await client.intents.withdraw(id);
    return WITHDRAWN;
  } catch (error) {
    // The request may be approved, but nothing here uses its permit.
    if (!(error instanceof PermitryError)) throw error;
    return `the request was not withdrawn: ${sayVisibly(error.message)}`;
  }
}

function exitCodeOf(ended: Ended): number {
  if (ended.kind === 'not_started') return CANNOT_START;
  return ended.kind === 'exited' ? ended.code : 128 + constants.signals[ended.signal];
}

/** The command ran, whether or not the report reaches the gate. The exit code stays the command's. */
async function report(client: Permitry, id: string, ended: Ended, flags: RunFlags): Promise<void> {
  const { reportOutcome } = await import('@permitry/sdk/steps');
  const succeeded = ended.kind === 'exited' && ended.code === 0;
  const detail = {
    not_started: () => 'could not be started',
    exited: () => `exit code ${exitCodeOf(ended)}`,
    killed: () => `ended by ${ended.kind === 'killed' ? ended.signal : ''}`,
  }[ended.kind]();
  if (ended.kind === 'not_started') say(flags, { warning: detail }, `The command ${detail}: ${ended.reason}`);
  try {
    await reportOutcome(client, id, { outcome: succeeded ? 'succeeded' : 'failed', detail });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    say(flags, { warning: 'outcome_not_reported' }, `The outcome was not reported to the gate: ${why}`);
  }
}

function say({ json }: RunFlags, forPrograms: object, sentence: string): void {
  process.stderr.write(json ? `${JSON.stringify(forPrograms)}\n` : `permitry: ${sentence}\n`);
}
