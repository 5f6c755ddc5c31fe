import { assertScope } from '../access/assert-scope.ts';
import { type Caller, toActor } from '../access/caller.ts';
import { GateError } from '../kernel/errors.ts';
import {
  assertCurrent,
  retryWhenStale,
  StaleReadError,
  settingsFor,
} from '../project-settings/stale-read.ts';
import { alreadyResolved, expired } from './decision-refusals.ts';
import { getIntent, isRequester } from './find-intent.ts';
import type { IntentDeps } from './intent-deps.ts';
import { recordDenied } from './intent-events.ts';
import { type IntentView, toIntentView } from './intent-view.ts';
import { denialOf, resolved } from './resolution.ts';

/** The requester withdraws its own request. The request is denied with the reason `withdrawn`. */
export async function withdrawIntent(
  gate: IntentDeps,
  caller: Caller,
  intentId: string,
): Promise<IntentView> {
  return retryWhenStale(gate, caller, (current) => withdrawOnce(gate, current, intentId));
}

async function withdrawOnce(gate: IntentDeps, caller: Caller, intentId: string): Promise<IntentView> {
  const intent = await getIntent(gate, caller, intentId);
  assertScope(caller, 'intents:create', intent.projectId);
  if (!isRequester(caller, intent)) {
    throw new GateError('forbidden', 'Only the requester can withdraw a request. An approver can deny it.', {
      required: 'requester',
    });
  }
  if (intent.status === 'expired') throw expired(intent);
  if (intent.status !== 'pending') throw alreadyResolved(intent.status);
  const settings = await settingsFor(gate, caller, intent.projectId);
  const actor = toActor(caller);
  const resolution = denialOf(intent, actor.id, gate.clock.now(), 'withdrawn');
  const after = resolved(intent, resolution);
  return gate.storage.transaction(
    async (tx) => {
      await assertCurrent(gate, tx, caller, settings);
      if (!(await tx.resolveIntent(intent.id, intent.revision, resolution))) throw new StaleReadError();
      await recordDenied(gate, tx, after, actor);
      tx.afterCommit(() => gate.listeners.wakeups.wake(intent.id));
      return toIntentView(gate, caller, after, null);
    },
    { guarded: true },
  );
}
