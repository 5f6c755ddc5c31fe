import type { Permitry } from '@permitry/sdk';
import { type Command, Option } from 'commander';
import { examples, urlOption } from '../command-options.ts';
import { CallNotes } from '../hook/call-notes.ts';
import { decideCall, nameOf } from '../hook/decide-call.ts';
import { type HookEvent, readHookEvent } from '../hook/hook-event.ts';
import { parseDuration, spell } from '../input/parse-argument.ts';
import { readInput } from '../input/read-input.ts';
import { type ConnectionFlags, openClient } from '../profile/open-client.ts';
import { tellConnectionProblem } from '../tell-connection-problem.ts';

/** Claude Code stops a hook after ten minutes, and then runs the tool. */
const LONGEST_WAIT_SECONDS = 24 * 3600;
const USUAL_WAIT_SECONDS = 540;

export function addHookCommands(program: Command): void {
  const hook = program
    .command('hook')
    .summary('require approval for coding-agent tool calls')
    .description('Require approval for the tool calls of coding agents.')
    .addHelpText('after', examples('permitry hook claude-code'));

  hook
    .command('claude-code')
    .summary('run as a hook of Claude Code')
    .description(
      'Run as a hook of Claude Code: read its JSON on stdin and answer on stdout. Before a tool call, request approval for exactly this input, wait for the decision, use the permit, and allow or deny the call with the reason. After the call, report its outcome. Every failure denies the call. Set PERMITRY_URL and PERMITRY_KEY (an agent key). In settings.json, give the hook "onFailure": "block" and a "timeout" longer than --wait.',
    )
    .addOption(urlOption())
    .addOption(
      new Option('--wait <time>', 'longest time to wait; then the call is denied for now')
        .argParser(parseDuration(0, LONGEST_WAIT_SECONDS))
        .default(USUAL_WAIT_SECONDS, spell(USUAL_WAIT_SECONDS)),
    )
    .option('--action-prefix <prefix>', 'prefix of the tool name in the action', 'claude-code.')
    .addOption(
      new Option('--then <what>', 'once approved: allow the call, or ask you in Claude Code as well')
        .choices(['allow', 'ask'])
        .default('allow'),
    )
    .addHelpText(
      'after',
      examples('permitry hook claude-code', 'permitry hook claude-code --wait 2m --then ask'),
    )
    .action(hookClaudeCode);
}

interface HookFlags extends ConnectionFlags {
  /** Seconds. */
  wait: number;
  actionPrefix: string;
  then: 'allow' | 'ask';
}

/** Time for the steps before and after the wait. Together, these steps take less. */
const SPARE_MS = 30_000;
/** Claude Code blocks on this code, and on no other. */
const BLOCKING_EXIT_CODE = 2;

const OUTCOMES = { PostToolUse: 'succeeded', PostToolUseFailure: 'failed' } as const;

/** A hook of Claude Code. Every failure denies, because a hook that merely fails lets the tool run. */
async function hookClaudeCode(flags: HookFlags): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.once(signal, () => breakOff('the hook was stopped before the gate answered.'));
  // Node itself would exit with code 1, and then the tool would run.
  process.once('uncaughtException', (error) => breakOff(whyOf(error)));
  const tooLong = setTimeout(
    () => breakOff('the approval gate did not answer in time.'),
    flags.wait * 1000 + SPARE_MS,
  );
  try {
    await answer(readHookEvent(await readInput('-')), flags);
  } catch (error) {
    block(whyOf(error));
  } finally {
    clearTimeout(tooLong);
  }
}

async function answer(event: HookEvent, flags: HookFlags): Promise<void> {
  const notes = new CallNotes();
  if (event.name === 'PreToolUse') return answerBefore(await openClient(flags), event, flags, notes);
  if (event.name === 'PostToolUse' || event.name === 'PostToolUseFailure')
    return reportAfter(await openClient(flags), event, OUTCOMES[event.name], notes);
  throw new Error(
    `permitry hook claude-code handles PreToolUse, PostToolUse and PostToolUseFailure, not ${event.name}`,
  );
}

async function answerBefore(
  client: Permitry,
  event: HookEvent,
  { wait, actionPrefix, then }: HookFlags,
  notes: CallNotes,
): Promise<void> {
  const action = `${actionPrefix}${event.toolName}`;
  const decision = await decideCall(client, event, { action, waitMs: wait * 1000, notes });
  if (!decision.isAllowed) return say('deny', decision.reason);
  const { approved_by, intent_id } = decision.permit;
  say(then, `Approved by ${approved_by} (${intent_id}).`);
}

/** The tool has run, so it is too late to stop it. A failed report does not deny the call. */
async function reportAfter(
  client: Permitry,
  event: HookEvent,
  outcome: 'succeeded' | 'failed',
  notes: CallNotes,
): Promise<void> {
  const name = nameOf(client, event);
  const intentId = notes.read(name);
  if (intentId === undefined) return;
  notes.drop(name);
  try {
    await client.intents.reportOutcome(intentId, { outcome });
  } catch (error) {
    process.stderr.write(`The outcome of ${intentId} was not reported: ${whyOf(error)}\n`);
  }
}

/** In the form that Claude Code's hook reference defines. */
function say(permissionDecision: 'allow' | 'deny' | 'ask', permissionDecisionReason: string): void {
  const hookSpecificOutput = { hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason };
  process.stdout.write(`${JSON.stringify({ hookSpecificOutput })}\n`);
}

/** Blocks by exit code, whatever else was written. The model reads stderr. */
function block(why: string): void {
  process.stderr.write(`Not run: ${why}\n`);
  process.exitCode = BLOCKING_EXIT_CODE;
}

function breakOff(why: string): void {
  block(why);
  process.exit();
}

function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Checks the error's name, so that it recognises SDK errors without loading the SDK.
  if (error.name === 'ConnectionError')
    return `the approval gate could not be reached. ${tellConnectionProblem(error)}`;
  if (error.name === 'PermitryError') return `the approval gate refused it: ${error.message}`;
  return error.message;
}
