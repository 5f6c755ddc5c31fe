import { parseApiKey } from '@permitry/protocol';
import { type Intent, type Permitry, PermitryError } from '@permitry/sdk';
import { CommandFailure } from '../command-failure.ts';
import { proveWithDevice } from '../device/prove-with-device.ts';
import { confirm } from '../input/ask.ts';
import { describeIntent, WHY_NOT_SENTENCES } from '../intents/describe-intent.ts';
import { type ReviewedIntent, readReviewedIntent } from '../intents/reviewed-intent.ts';
import { paint, paintError } from '../printing/paint.ts';
import { printJson } from '../printing/print-json.ts';
import { sayVisibly } from '../printing/say-visibly.ts';
import { openClientAs } from '../profile/open-client.ts';
import { type ConnectionFlags, type Profile, readProfile } from '../profile/read-profile.ts';
import { explainFailure } from '../report-failure.ts';

export interface DecideFlags extends ConnectionFlags {
  comment?: string;
  reason?: string;
  yes?: true;
}

const UNATTENDED = 'PERMITRY_APPROVE_WITHOUT_TERMINAL';

type Decision = 'approve' | 'deny';

export const approve = (ids: readonly string[], flags: DecideFlags) => decideAll('approve', ids, flags);
export const deny = (ids: readonly string[], flags: DecideFlags) => decideAll('deny', ids, flags);

/** One after another; what fails is told, and the others are decided all the same. */
async function decideAll(decision: Decision, ids: readonly string[], flags: DecideFlags): Promise<void> {
  if (decision === 'approve') assertAttended(flags);
  const profile = readProfile(flags);
  const client = openClientAs(profile);
  const results: object[] = [];
  let exitCode = 0;
  for (const id of new Set(ids)) {
    try {
      const decided = await decideOne(client, profile, decision, id, flags);
      // Whoever may decide may hold the permit as well; it is a secret, and nothing was asked about it.
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
 * A person's sign-in stands in a file of theirs, which programs of theirs can read: with `--yes` alone, a coding agent
 * would approve its own requests as that person. Denying needs no such word.
 */
function assertAttended(flags: DecideFlags): void {
  const atTerminal = process.stdin.isTTY && process.stderr.isTTY;
  if (!flags.yes || atTerminal || process.env[UNATTENDED]?.trim() === 'true') return;
  if (parseApiKey(readProfile(flags).key)?.kind !== 'user') return;
  throw new CommandFailure(
    2,
    `--yes does not approve in a person's name without a terminal. Nothing was decided. If no person is to be asked here, set ${UNATTENDED}=true.`,
  );
}

async function decideOne(
  client: Permitry,
  profile: Profile,
  decision: Decision,
  id: string,
  flags: DecideFlags,
): Promise<Intent> {
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

/** The gate asks all this again; who cannot decide need not be asked whether they mean to. */
function assertOpenTo(decision: Decision, shown: ReviewedIntent): void {
  const { status, can_approve, can_deny, why_not } = shown;
  if (status !== 'pending') throw new CommandFailure(1, `It is ${status} already.`, { code: 'conflict' });
  if (decision === 'approve' ? can_approve : can_deny) return;
  throw new CommandFailure(1, `You cannot ${decision} it: ${WHY_NOT_SENTENCES[why_not ?? 'viewer']}.`);
}

async function assertMeant(decision: Decision, { id, hashed, requester }: ReviewedIntent): Promise<void> {
  const verb = decision === 'approve' ? 'Approve' : 'Deny';
  const meant = await confirm(
    `${verb} ${sayVisibly(hashed.action)} for ${sayVisibly(requester.display)} (${id})?`,
    'A decision is asked for at a terminal. Without one, say --yes.',
  );
  if (!meant) throw new CommandFailure(1, 'Nothing was decided.');
}

/**
 * In live mode a program's approval fills no place by itself, so the person at this terminal proves that it is theirs. A
 * secret key has nobody at a terminal; and what takes a passkey takes a browser.
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

/** By the key this machine holds, where such a one suffices. */
async function prove(
  client: Permitry,
  decision: Decision,
  shown: ReviewedIntent,
  { body }: PermitryError,
): Promise<string> {
  const methods = Array.isArray(body.methods) ? body.methods : [];
  if (methods.includes('device')) return proveWithDevice(client, { intent: shown, decision });
  const tier = sayVisibly(String(body.proof_tier ?? shown.proof.tier));
  throw new CommandFailure(
    1,
    `It takes a proof that only a browser gives (${tier}). Decide it at ${sayVisibly(shown.approval_url)}`,
    { code: 'proof_required' },
  );
}

function tell(decision: Decision, intent: Intent): string {
  const what = `${sayVisibly(intent.action)} (${sayVisibly(intent.id)})`;
  if (decision === 'deny') return `${paint('red', 'Denied')} ${what}.`;
  if (intent.status === 'approved') return `${paint('green', 'Approved')} ${what}.`;
  return `Your approval of ${what} counts: ${intent.approvals_received} of ${intent.approvals_required}.`;
}
