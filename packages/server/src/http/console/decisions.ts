import { DecisionResults, Decisions } from '@permitry/protocol/schemas';
import { decideMany } from '../../gate/inbox/decide-many.ts';
import type { GateError } from '../../gate/kernel/errors.ts';
import { toErrorAnswer } from '../errors/error-answer.ts';
import type { ErrorTable } from '../errors/error-table.ts';
import type { GateApp } from '../routes/surface.ts';
import type { ConsoleTools } from './console-tools.ts';
import { getPerson } from './get-person.ts';

export function decisionRoutes(app: GateApp, { gate, errors }: ConsoleTools): void {
  app.post(
    '/decisions',
    { schema: { body: Decisions, response: { 200: DecisionResults } } },
    async (request) => {
      const decided = await decideMany(
        gate,
        getPerson(request),
        request.body.decisions.map(({ intent_id: intentId, decision, intent_hash: intentHash, reason }) => ({
          intentId,
          decision,
          ...(reason === undefined ? {} : { reason }),
          ...(intentHash === undefined ? {} : { intentHash }),
        })),
      );
      return {
        data: decided.map((one) =>
          'view' in one
            ? { intent_id: one.intentId, status: one.view.intent.status }
            : { intent_id: one.intentId, error: toWireRefusal(one.refusal, errors, request.id) },
        ),
      };
    },
  );
}

function toWireRefusal(refusal: GateError, errors: ErrorTable, requestId: string) {
  const { error } = toErrorAnswer(refusal, errors, requestId).body;
  return { ...error, code: errors[refusal.code].code, message: refusal.message };
}
