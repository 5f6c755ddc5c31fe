import type { Outcome } from '@permitry/protocol';
import { assertScope } from '../access/assert-scope.ts';
import { type Caller, toActor } from '../access/caller.ts';
import { recordEvent } from '../audit/record-event.ts';
import { GateError } from '../kernel/errors.ts';
import type { Remember } from '../kernel/idempotency.ts';
import type { Instant } from '../kernel/instant.ts';
import {
  assertCurrent,
  retryWhenStale,
  StaleReadError,
  settingsFor,
} from '../project-settings/stale-read.ts';
import { getIntent } from './find-intent.ts';
import type { Intent } from './intent.ts';
import type { IntentDeps } from './intent-deps.ts';

export interface OutcomeReport {
  intentId: string;
  outcome: Outcome;
  /** What happened, in words. The text may be erased from the audit log later. */
  detail?: string;
}

type ReportedIntent = Intent & { outcomeAt: Instant };

/** Reports the outcome of the action, once, with the credential that consumed the permit. */
export async function reportOutcome(
  gate: IntentDeps,
  caller: Caller,
  report: OutcomeReport,
  remember?: Remember<ReportedIntent>,
): Promise<ReportedIntent> {
  return retryWhenStale(gate, caller, (current) => reportOnce(gate, current, report, remember));
}

async function reportOnce(
  gate: IntentDeps,
  caller: Caller,
  report: OutcomeReport,
  remember: Remember<ReportedIntent> | undefined,
): Promise<ReportedIntent> {
  const intent = await getIntent(gate, caller, report.intentId);
  assertScope(caller, 'outcomes:report', intent.projectId);
  assertReportable(intent, caller);
  const settings = await settingsFor(gate, caller, intent.projectId);
  const now = gate.clock.now();
  const { outcome, detail = null } = report;
  return gate.storage.transaction(
    async (tx) => {
      await assertCurrent(gate, tx, caller, settings);
      if (!(await tx.reportOutcome(intent.id, caller.credentialId, outcome, now))) throw new StaleReadError();
      await recordEvent(gate, tx, {
        projectId: intent.projectId,
        type: 'outcome.reported',
        occurredAt: now,
        actor: toActor(caller),
        intentId: intent.id,
        data: { outcome, detail },
        personal: detail === null ? [] : ['/data/detail'],
      });
      const reported = { ...intent, outcome, outcomeAt: now };
      await remember?.(tx, reported);
      return reported;
    },
    { guarded: true },
  );
}

function assertReportable(intent: Intent, caller: Caller): void {
  if (intent.consumedBy === null) {
    throw new GateError('conflict', 'Nothing has run yet: the permit of this request was not consumed.', {});
  }
  if (intent.consumedBy !== caller.credentialId) {
    // For a tool that the gate runs, the gate itself reports the outcome.
    throw new GateError('forbidden', 'Only the credential that consumed the permit can report its outcome.', {
      required: 'consumer',
    });
  }
  if (intent.outcome !== null) {
    throw new GateError('conflict', `The outcome was already reported: ${intent.outcome}.`, {});
  }
}
