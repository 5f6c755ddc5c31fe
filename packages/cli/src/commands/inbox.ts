import { setTimeout as pause } from 'node:timers/promises';
import { type AuditRecord, INBOX_ORDERS, parseApiKey, RISK_TIERS } from '@permitry/protocol';
import type { Intent, Permitry, PermitryError } from '@permitry/sdk';
import { type Command, Option } from 'commander';
import { CommandFailure, refused, usage } from '../command-failure.ts';
import { examples, remoteCommand } from '../command-options.ts';
import { proveWithDevice } from '../device/prove-with-device.ts';
import { confirm } from '../input/ask.ts';
import { parseDuration, wholeNumber } from '../input/parse-argument.ts';
import { EXIT_CODES, EXIT_CODES_HELP } from '../intents/exit-codes.ts';
import { type InboxFlags, type InboxItem, inboxColumns, listInbox } from '../intents/list-inbox.ts';
import { type ReviewedIntent, readReviewedIntent, type WhyNot } from '../intents/reviewed-intent.ts';
import { tellDecision } from '../intents/tell-decision.ts';
import { waitForDecision } from '../intents/wait-for-decision.ts';
import { followProjects } from '../live/follow-projects.ts';
import { watchInbox } from '../live/watch-inbox.ts';
import { printJson, printLine, printTable } from '../printing/print.ts';
import { paint, paintError, sayVisibly, timeOfDay } from '../printing/say.ts';
import {
  type ConnectionFlags,
  openClient,
  openClientAs,
  type Profile,
  readProfile,
} from '../profile/open-client.ts';
import { chooseProjects, type Me, readMe } from '../profile/read-me.ts';
import { explainFailure } from '../report-failure.ts';

const PROJECT = '--project <id|name>';

export function addInboxCommands(program: Command): void {
  remoteCommand(
    program,
    'inbox',
    'list pending requests',
    'The last column says whether you may decide a request.',
  )
    .option(PROJECT, 'only requests of this project')
    .option('--action <name>', 'only this action; a final * matches all actions that start the same')
    .addOption(new Option('--risk <tier>', 'only requests of this risk').choices(RISK_TIERS))
    .option('--search <words>', 'text to find in action, source, requester, ID or parameters')
    .option('--mine', 'only requests that you may decide')
    .addOption(
      new Option('--sort <order>', 'newest first, expiring soonest first, or highest risk first').choices(
        INBOX_ORDERS,
      ),
    )
    .option('--limit <n>', 'at most this many requests', wholeNumber(1, 1000), 50)
    .option('--watch', 'keep the list up to date; with --json, print a line for each change')
    .addHelpText('after', examples('permitry inbox --watch', 'permitry inbox --mine --json'))
    .action(inbox);

  remoteCommand(program, 'show', 'show one request in full, as you would decide it')
    .argument('<id>', 'ID of the request (int_…)')
    .addHelpText('after', examples('permitry show int_01hzy8', 'permitry show int_01hzy8 --json'))
    .action(show);

  remoteCommand(program, 'approve', 'approve requests, each shown first')
    .description(
      'Show each request in full, ask, and approve exactly what was shown. If a request changed meanwhile, the gate refuses the approval.',
    )
    .argument('<id...>', 'IDs of the requests (int_…)')
    .option('--comment <text>', 'comment, kept with the approval')
    .option(
      '-y, --yes',
      'do not ask for confirmation; without a terminal, a person’s sign-in also needs PERMITRY_APPROVE_WITHOUT_TERMINAL=true',
    )
    .addHelpText('after', examples('permitry approve int_01hzy8 --comment "as agreed"'))
    .action(approve);

  remoteCommand(program, 'deny', 'deny requests, each shown first', 'One denial is final.')
    .argument('<id...>', 'IDs of the requests (int_…)')
    .option('--reason <text>', 'reason, shown to the requester')
    .option('-y, --yes', 'do not ask for confirmation; required without a terminal')
    .addHelpText('after', examples('permitry deny int_01hzy8 --reason "not on a Friday"'))
    .action(deny);

  remoteCommand(program, 'watch', 'follow events as they happen')
    .description(
      'Follow events as they happen: in your projects, or of one request until it is decided. With --json, each event is one line.',
    )
    .argument('[id]', 'ID of one request (int_…)')
    .option(PROJECT, 'only events of this project')
    .option('--type <types>', 'only events of these types, such as intent.created,intent.denied')
    .option('--wait <time>', 'with an ID: wait at most this long', parseDuration(0, 30 * 86_400))
    .addHelpText(
      'after',
      `${examples('permitry watch', 'permitry watch int_01hzy8 --wait 30m')}${EXIT_CODES_HELP}`,
    )
    .action(watch);
}

async function inbox(flags: InboxFlags & { watch?: true }): Promise<void> {
  const profile = await readProfile(flags);
  const client = await openClientAs(profile);
  if (flags.watch) return watchInbox(client, profile, flags);
  const page = await listInbox(client, flags);
  if (flags.json) return printJson(page);
  printTable<InboxItem>(page.data, inboxColumns, 'No pending requests.');
  const hidden = page.next_cursor !== null;
  if (hidden)
    process.stderr.write(
      `There are more: ${page.pending_total}${page.pending_more ? '+' : ''} requests are pending in all. Raise --limit to list them.\n`,
    );
}

async function show(id: string, flags: ConnectionFlags): Promise<void> {
  const { describeIntent } = await import('../intents/describe-intent.ts');
  const intent = await readReviewedIntent(await openClient(flags), id);
  if (flags.json) return printJson(intent);
  process.stdout.write(describeIntent(intent));
}

interface DecideFlags extends ConnectionFlags {
  comment?: string;
  reason?: string;
  yes?: true;
}

const UNATTENDED = 'PERMITRY_APPROVE_WITHOUT_TERMINAL';

type Decision = 'approve' | 'deny';

const WHY_NOT_SENTENCES: Record<WhyNot, string> = {
  resolved: 'it is already decided',
  viewer: 'your sign-in can only read; to decide, run: permitry login --allow-decide',
  not_an_approver: 'you are not an approver for this request',
  own_request:
    'you resubmitted it, or a key or token of someone responsible for its requester added you to the project',
  person_required: 'only a person who is signed in can decide it',
  already_voted: 'you already approved it',
  policy_denies: 'policy now denies this action',
};

const approve = (ids: readonly string[], flags: DecideFlags) => decideAll('approve', ids, flags);
const deny = (ids: readonly string[], flags: DecideFlags) => decideAll('deny', ids, flags);

/** Decides the requests one after another. Reports a failure, and still decides the other requests. */
async function decideAll(decision: Decision, ids: readonly string[], flags: DecideFlags): Promise<void> {
  if (decision === 'approve') await assertAttended(flags);
  const profile = await readProfile(flags);
  const client = await openClientAs(profile);
  const results: object[] = [];
  let exitCode = 0;
  for (const id of new Set(ids)) {
    try {
      const decided = await decideOne(client, profile, decision, id, flags);
      // The answer may contain the permit. The permit is a secret, and the output does not need it.
      const { permit: _permit, ...shown } = decided;
      results.push(shown);
      if (!flags.json) process.stdout.write(`${tell(decision, decided)}\n`);
    } catch (error) {
      if (error instanceof CommandFailure && error.exitCode === 2) throw error;
      const failure = await explainFailure(error);
      exitCode = 1;
      results.push({ id, error: { code: failure.code, message: failure.sentence } });
      if (!flags.json)
        process.stderr.write(
          `${paintError('red', 'permitry:')} ${sayVisibly(id)}: ${sayVisibly(failure.sentence)}\n`,
        );
    }
  }
  if (flags.json) printJson(results);
  if (exitCode !== 0) process.exitCode = exitCode;
}

/**
 * A person's sign-in is in a file that their programs can read. With `--yes` alone, a coding agent would
 * approve its own requests as that person. A denial needs no such check.
 */
async function assertAttended(flags: DecideFlags): Promise<void> {
  const atTerminal = process.stdin.isTTY && process.stderr.isTTY;
  if (!flags.yes || atTerminal || process.env[UNATTENDED]?.trim() === 'true') return;
  if (parseApiKey((await readProfile(flags)).key)?.kind !== 'user') return;
  throw usage(
    `Without a terminal, --yes alone does not approve in a person's name. Nothing was decided. To allow that here, set ${UNATTENDED}=true.`,
  );
}

async function decideOne(
  client: Permitry,
  profile: Profile,
  decision: Decision,
  id: string,
  flags: DecideFlags,
): Promise<Intent> {
  const { describeIntent } = await import('../intents/describe-intent.ts');
  const shown = await readReviewedIntent(client, id);
  if (!flags.json) process.stdout.write(`${describeIntent(shown)}\n`);
  else if (!flags.yes) process.stderr.write(`${describeIntent(shown, process.stderr)}\n`);
  assertOpenTo(decision, shown);
  if (!flags.yes) await assertMeant(decision, shown);
  const proof = takesPerson(profile, decision, shown)
    ? await proveWithDevice(client, { intent: shown, decision })
    : undefined;
  return vote(client, decision, shown, flags, proof);
}

/** The gate checks all this again. A person who cannot decide need not confirm first. */
function assertOpenTo(decision: Decision, shown: ReviewedIntent): void {
  const { status, can_approve, can_deny, why_not } = shown;
  if (status !== 'pending') throw refused(`The request is already ${status}.`, 'conflict');
  if (decision === 'approve' ? can_approve : can_deny) return;
  throw refused(`You cannot ${decision} this request: ${WHY_NOT_SENTENCES[why_not ?? 'viewer']}.`);
}

async function assertMeant(decision: Decision, { id, hashed, requester }: ReviewedIntent): Promise<void> {
  const verb = decision === 'approve' ? 'Approve' : 'Deny';
  const meant = await confirm(
    `${verb} ${sayVisibly(hashed.action)} for ${sayVisibly(requester.display)} (${id})?`,
  );
  if (!meant) throw refused('Nothing was decided.');
}

/**
 * True if the person at this terminal must prove that the approval is theirs. In live mode, an approval by a program
 * alone does not count. False with a secret key, because nobody is at the terminal, and for a required passkey, which
 * needs a browser.
 */
function takesPerson({ key }: Profile, decision: Decision, { project, proof }: ReviewedIntent): boolean {
  const isApproval = decision === 'approve' && project.mode === 'live';
  return isApproval && key.startsWith('prm_user_') && proof.tier !== 'passkey';
}

async function vote(
  client: Permitry,
  decision: Decision,
  shown: ReviewedIntent,
  flags: DecideFlags,
  proved: string | undefined,
): Promise<Intent> {
  const { PermitryError } = await import('@permitry/sdk');
  try {
    return await cast(client, decision, shown, flags, proved);
  } catch (error) {
    const asksProof = error instanceof PermitryError && error.code === 'proof_required';
    if (!asksProof || proved !== undefined) throw error;
    const proof = await prove(client, decision, shown, error);
    return cast(client, decision, shown, flags, proof);
  }
}

function cast(
  client: Permitry,
  decision: Decision,
  { id, intent_hash }: ReviewedIntent,
  { comment, reason }: DecideFlags,
  proof: string | undefined,
): Promise<Intent> {
  const seen = { intent_hash, ...(proof === undefined ? {} : { proof_session_id: proof }) };
  return decision === 'approve'
    ? client.intents.approve(id, { ...seen, ...(comment === undefined ? {} : { comment }) })
    : client.intents.deny(id, { ...seen, ...(reason === undefined ? {} : { reason }) });
}

/** Uses the device key of this machine, where a device key is enough. */
async function prove(
  client: Permitry,
  decision: Decision,
  shown: ReviewedIntent,
  { body }: PermitryError,
): Promise<string> {
  const methods = Array.isArray(body.methods) ? body.methods : [];
  if (methods.includes('device')) return proveWithDevice(client, { intent: shown, decision });
  const tier = sayVisibly(String(body.proof_tier ?? shown.proof.tier));
  throw refused(
    `This request requires proof of presence that only a browser can give (${tier}). Nothing was decided. Decide it at ${sayVisibly(shown.approval_url)}`,
    'proof_required',
  );
}

function tell(decision: Decision, intent: Intent): string {
  const what = `${sayVisibly(intent.action)} (${sayVisibly(intent.id)})`;
  if (decision === 'deny') return `${paint('red', 'Denied')} ${what}.`;
  if (intent.status === 'approved') return `${paint('green', 'Approved')} ${what}.`;
  return `Your approval of ${what} is recorded: ${intent.approvals_received} of ${intent.approvals_required} approvals.`;
}

interface WatchFlags extends ConnectionFlags {
  project?: string;
  type?: string;
  /** Seconds. */
  wait?: number;
}

async function watch(id: string | undefined, flags: WatchFlags): Promise<void> {
  const profile = await readProfile(flags);
  const client = await openClientAs(profile);
  const me = await readMe(client);
  if (id !== undefined) return watchOne(client, profile, me, id, flags);
  const types = flags.type?.split(',');
  const never = new AbortController();
  let open = 0;
  const projectIds = chooseProjects(me, flags.project);
  await followProjects(
    profile,
    projectIds,
    {
      signal: never.signal,
      ...(types ? { types } : {}),
      onOpen() {
        open += 1;
        if (open === projectIds.length)
          process.stderr.write(flags.json ? '' : 'Watching. Press Ctrl-C to stop.\n');
      },
    },
    (event, projectId) => tellEvent(event, flags, projectId),
  );
}

/** The gate may seal the last events a moment after it answers the call that caused them. */
const LAST_EVENTS_MS = 1500;

/** Follows one request until it is decided, as far as the credential may read events. */
async function watchOne(
  client: Permitry,
  profile: Profile,
  me: Me,
  id: string,
  flags: WatchFlags,
): Promise<void> {
  const intent = await client.intents.get(id);
  const ending = new AbortController();
  const readsEvents = me.kind === 'user' || me.kind === 'secret';
  let resolved = false;
  const following =
    readsEvents && intent.status === 'pending'
      ? followProjects(
          profile,
          me.projects.map((project) => project.id),
          { signal: ending.signal },
          (event) => {
            if (event.intent_id !== id) return;
            tellEvent(event, flags);
            if (/^intent\.(approved|denied|expired)$/.test(event.type)) resolved = true;
          },
        ).catch(() => undefined)
      : undefined;
  try {
    const decided = await waitForDecision(client, intent, { waitSeconds: flags.wait });
    const { status, action, resolved_by, resolved_at, reason } = decided;
    const until = Date.now() + LAST_EVENTS_MS;
    while (following && status !== 'pending' && !resolved && Date.now() < until) await pause(50);
    if (flags.json)
      printLine({ type: 'ended', intent_id: id, action, status, resolved_by, resolved_at, reason });
    else process.stdout.write(`${tellDecision(decided)}\n`);
    process.exitCode = EXIT_CODES[status];
  } finally {
    ending.abort();
    await following;
  }
}

function tellEvent(event: AuditRecord, { json }: WatchFlags, projectId?: string): void {
  if (json) {
    printLine(projectId === undefined ? event : { project_id: projectId, ...event });
    return;
  }
  const { occurred_at: at, type, intent_id: intentId, actor, data } = event;
  const who = sayVisibly(actor.display ?? actor.id);
  // Omits hashes, which are for programs. Everything else is shown whole.
  const properties = Object.entries(data).filter(
    ([name, value]) => value !== null && !name.endsWith('_hash'),
  );
  const rest = properties.map(([name, value]) => sayVisibly(`${name}=${JSON.stringify(value)}`)).join(' ');
  process.stdout.write(
    `${paint('dim', sayVisibly(timeOfDay(at)))}  ${sayVisibly(type).padEnd(17)}  ${sayVisibly(intentId ?? '-')}  ${who}  ${paint('dim', rest)}\n`,
  );
}
