import type { SourceType } from '@permitry/protocol';
import type { CreateIntent, Intent } from '@permitry/sdk';
import { CommandFailure } from '../command-failure.ts';
import { spell } from '../input/parse-duration.ts';
import { askFor } from '../intents/ask-for.ts';
import { EXIT_CODES } from '../intents/exit-codes.ts';
import { readObject } from '../intents/read-object.ts';
import { tellDecision } from '../intents/tell-decision.ts';
import { usePermit } from '../permits/use-permit.ts';
import { printLine } from '../printing/print-line.ts';
import { sayVisibly } from '../printing/say-visibly.ts';
import { openClient } from '../profile/open-client.ts';
import type { ConnectionFlags } from '../profile/read-profile.ts';

/** What `request` and `run` have in common. */
export interface AskFlags extends ConnectionFlags {
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

export interface RequestFlags extends AskFlags {
  consume?: true;
  output: 'text' | 'permit' | 'json';
  idempotencyKey?: string;
}

/** Everything about a request but its action and parameters. */
export async function readTerms(flags: AskFlags): Promise<Omit<CreateIntent, 'action' | 'params'>> {
  const metadata = await readObject('--metadata', flags.metadata);
  if (flags.reason !== undefined && Object.hasOwn(metadata, 'reason'))
    throw new CommandFailure(2, '--reason stands in the metadata as "reason"; leave one of the two out.');
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

export async function request(action: string, flags: RequestFlags): Promise<void> {
  const output = flags.json ? 'json' : flags.output;
  if (flags.params === '-' && flags.metadata === '-')
    throw new CommandFailure(2, 'Only one of --params and --metadata can be read from stdin.');
  if (flags.consume && output === 'permit')
    throw new CommandFailure(
      2,
      'A permit that --consume has used is of no use to anybody; leave one of them out.',
    );
  const params = await readObject('--params', flags.params);
  const client = openClient(flags);
  const input = { action, params, ...(await readTerms(flags)) };
  const intent = await askFor(client, input, {
    waitSeconds: flags.wait,
    onPending: (pending) => (output === 'json' ? printLine(pending) : tellPending(pending, flags.wait)),
    ...(flags.idempotencyKey === undefined ? {} : { idempotencyKey: flags.idempotencyKey }),
  });
  const used = intent.status === 'approved' && flags.consume;
  if (used) await usePermit(client, intent, params);
  // What waited for nothing was printed already.
  if (output === 'json') {
    if (intent.status !== 'pending')
      printLine({ ...intent, ...(flags.consume ? { consumed: used === true } : {}) });
  } else if (output === 'permit' && intent.status === 'approved')
    process.stdout.write(`${tokenOf(intent)}\n`);
  else
    (output === 'permit' ? process.stderr : process.stdout).write(
      `${tellDecision(intent)}${used ? ', and used' : ''}\n`,
    );
  process.exitCode = EXIT_CODES[intent.status];
}

/** On stderr, so that what the command answers stays apart. */
export function tellPending(intent: Intent, waitSeconds: number): void {
  const waits = waitSeconds === 0 ? '' : `Waiting for ${spell(waitSeconds)} at most …\n`;
  process.stderr.write(
    `${sayVisibly(intent.action)} (${intent.id}) waits for a decision at ${sayVisibly(intent.approval_url)}\n${waits}`,
  );
}

function tokenOf({ id, permit }: Intent): string {
  if (permit?.token !== undefined) return permit.token;
  throw new CommandFailure(1, `${id} is approved, but its permit is not shown to this credential.`);
}
